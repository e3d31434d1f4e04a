import { Problem } from '@spanhouse/model'

/** Why an embed could not be replaced. The names are what a placeholder shows. */
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

/** A single embed's failure; what becomes of it is the caller's policy. */
export class EmbedFailure {
  readonly name: FailureName
  readonly message: string

  constructor(name: FailureName, message: string) {
    this.name = name
    this.message = message
  }

  /** As an answer: 404 for what is missing, 400 for everything else. */
  toProblem(): Problem {
    return new Problem(FAILURES[this.name], this.message)
  }
}
