import { invalid } from '@spanhouse/model'
import { optional, z } from '@spanhouse/validation'

const NAME_LENGTH_MAX = 255
const DESCRIPTION_LENGTH_MAX = 10_000

/** What people call a record. Whether it may be blank is decided by {@link nameOf}, since the interface answers 400. */
export const name = z.string().max(NAME_LENGTH_MAX)
export const description = optional(z.string().max(DESCRIPTION_LENGTH_MAX))

/** The name without space around it. Throws a Problem `invalid` when nothing is left. */
export function nameOf(text: string, field = 'name'): string {
  const trimmed = text.trim()
  if (trimmed === '') throw invalid(`${field} must not be blank.`)
  return trimmed
}
