/** The cost of finding a value, whatever it is, relative to reading a character. */
export const STEPS_OF_VALUE = 20

/**
 * The work that may still be done to match a span, in steps: reading a character, which takes some nanoseconds. An
 * item, a member or a text takes {@link STEPS_OF_VALUE} besides its characters. Unlimited by default.
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
