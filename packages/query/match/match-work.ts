/**
 * How much may still be done to match a span, in steps: a character, an item or a member that is looked at, some
 * nanoseconds each. Without a limit unless told.
 */
export class MatchWork {
  #left: number

  constructor(steps = Number.POSITIVE_INFINITY) {
    this.#left = steps
  }

  /** To be called before so many steps. Throws {@link MatchTooLong} when they are more than what is left. */
  spend(steps: number): void {
    this.#left -= steps
    if (this.#left < 0) throw new MatchTooLong()
  }
}

/** A span was not matched to the end. */
export class MatchTooLong extends Error {
  override name = 'MatchTooLong'
}
