/**
 * The work that may still be done to match a span, in steps: reading a character, an item or a member, which takes some
 * nanoseconds. Unlimited by default.
 */
export class MatchWork {
  #left: number

  constructor(steps = Number.POSITIVE_INFINITY) {
    this.#left = steps
  }

  /** Call before doing that many steps. Throws {@link MatchTooLong} if they exceed the limit. */
  spend(steps: number): void {
    this.#left -= steps
    if (this.#left < 0) throw new MatchTooLong()
  }
}

/** Matching a span exceeded its limit. */
export class MatchTooLong extends Error {
  override name = 'MatchTooLong'
}
