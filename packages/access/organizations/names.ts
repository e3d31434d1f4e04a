import { invalid } from '@spanhouse/model'
import { optional, z } from '@spanhouse/validation'

const NAME_LENGTH_MAX = 255
const DESCRIPTION_LENGTH_MAX = 10_000

/** A display name. {@link nameOf} rejects blank names, since the interface requires a 400 for them. */
export const name = z.string().max(NAME_LENGTH_MAX)
export const description = optional(z.string().max(DESCRIPTION_LENGTH_MAX))

/** The name without surrounding whitespace. Throws a Problem `invalid` if it is blank. */
export function nameOf(text: string, field = 'name'): string {
  const trimmed = text.trim()
  if (trimmed === '') throw invalid(`${field} must not be blank.`)
  return trimmed
}
