import { Problem } from '@spanhouse/model'

/** Why an embed could not be replaced. Placeholders show these names. */
const FAILURES = {
  EmbedNotFoundError: 'not_found',
  PathNotFoundError: 'not_found',
  InvalidEmbedError: 'invalid',
  MixedReferencesError: 'invalid',
  UnsupportedReferenceError: 'invalid',
  CircularEmbedError: 'invalid',
  MaxDepthExceededError: 'invalid',
  MaxEmbedsExceededError: 'invalid',
} as const

export type FailureName = keyof typeof FAILURES

const SHOWN_MAX = 300

/** The beginning of a text of any length, for a message. */
export const shown = (text: string): string => (text.length > SHOWN_MAX ? `${text.slice(0, SHOWN_MAX)}…` : text)

/** The failure of a single embed; the caller's policy decides what happens. */
export class EmbedFailure {
  readonly name: FailureName
  readonly message: string

  constructor(name: FailureName, message: string) {
    this.name = name
    this.message = message
  }

  /** The same failure, with a message that begins with the embed at fault. */
  of(embed: string): EmbedFailure {
    return new EmbedFailure(this.name, `${embed}: ${shown(this.message)}`)
  }

  toString(): string {
    return `${this.name}: ${this.message}`
  }

  /** As an HTTP problem: 404 if something is missing, otherwise 400. */
  toProblem(): Problem {
    return new Problem(FAILURES[this.name], this.message)
  }
}
