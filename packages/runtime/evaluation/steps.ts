import { nextTurn } from '@spanhouse/model'

/** Steps of a walk, such as one member of an object each, that are done before others have their turn. */
const STEPS_PER_TURN = 2_048

/** Counts the steps of a long walk. */
export class Steps {
  #taken = 0

  /** To be awaited when it is something: others have their turn. */
  next(): Promise<void> | undefined {
    this.#taken++
    return this.#taken % STEPS_PER_TURN === 0 ? nextTurn() : undefined
  }
}
