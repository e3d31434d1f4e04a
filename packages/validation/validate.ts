import { Problem } from '@spanhouse/model'
import type { z } from 'zod'
import { violationsOf } from './violations.ts'

/** What of a request is being read: the first step of every location in a 422. */
export type RequestPart = 'body' | 'query' | 'path'

/**
 * The value in the shape the schema describes. Throws a Problem `unprocessable` (422) that lists everything that is
 * wrong as the interface does: `{type, loc, msg, input?}`. With `echo: false` no violation repeats what was sent; `at`
 * tells where in the part the value stands, when it is not all of it.
 */
export function validate<S extends z.ZodType>(
  schema: S,
  value: unknown,
  part: RequestPart,
  { echo = true, at = () => [] }: { echo?: boolean; at?: () => (string | number)[] } = {},
): z.output<S> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const violations = violationsOf(result.error.issues, [part, ...at()], value)
  if (!echo) for (const violation of violations) delete violation.input
  throw new Problem('unprocessable', violations)
}
