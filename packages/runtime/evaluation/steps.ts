import { nextTurn } from '@spanhouse/model'

/** Steps of a walk, such as one member of an object each, before it yields to other work. */
const STEPS_PER_TURN = 2_048

/** Counts the steps of a long walk. */
export class Steps {
  #taken = 0

  /** A promise to await if it is time to yield to other work. */
  next(): Promise<void> | undefined {
    this.#taken++
    return this.#taken % STEPS_PER_TURN === 0 ? nextTurn() : undefined
  }
}
