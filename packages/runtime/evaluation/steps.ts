import { nextTurn } from '@spanhouse/model'
import { RunError } from '../run-error.ts'

/** Steps of a walk, such as one member of an object each, before it yields to other work. */
const STEPS_PER_TURN = 2_048
/**
 * Steps of one walk. The documents of a request have a million values each; a path that selects lists and what is in
 * them multiplies these.
 */
const STEPS_MAX = 5_000_000

/** Counts the steps of a long walk. */
export class Steps {
  #taken = 0
  #turnAt = STEPS_PER_TURN

  /** Counts a step. Throws a 400 RunError if there are too many. */
  take(): void {
    if (++this.#taken > STEPS_MAX)
      throw new RunError(400, 'v0:schemas:invalid-outputs', `More than ${STEPS_MAX} values are to be compared.`)
  }

  /** A promise to await if it is time to yield to other work. */
  turn(): Promise<void> | undefined {
    if (this.#taken < this.#turnAt) return undefined
    this.#turnAt = this.#taken + STEPS_PER_TURN
    return nextTurn()
  }

  /** Counts a step, and is the turn after it. */
  next(): Promise<void> | undefined {
    this.take()
    return this.turn()
  }
}
