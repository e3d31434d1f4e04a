import { Problem } from '@spanhouse/model'
import { violationsOf } from './violations.ts'
import type * as z from './zod.ts'

/** The part of a request that is validated: the first element of every location in a 422. */
export type RequestPart = 'body' | 'query' | 'path'

/**
 * Validates a value and returns it in the shape of the schema. Throws a Problem `unprocessable` (422) that lists the
 * violations in the interface's form: `{type, loc, msg, input?}`. With `echo: false` no violation contains the input;
 * `at` is the location of the value in the part, if it is not the whole part.
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
