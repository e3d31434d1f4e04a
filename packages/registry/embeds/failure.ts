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

/** The failure of a single embed; the caller's policy decides what happens. */
export class EmbedFailure {
  readonly name: FailureName
  readonly message: string

  constructor(name: FailureName, message: string) {
    this.name = name
    this.message = message
  }

  /** As an HTTP problem: 404 if something is missing, otherwise 400. */
  toProblem(): Problem {
    return new Problem(FAILURES[this.name], this.message)
  }
}
