import type { Answer, Shot } from '../exchange.ts'
import type { Operation } from '../inputs/operations.ts'
import type { Random } from '../inputs/random.ts'
import type { World } from '../world.ts'

/** What a generator is given for one play. */
export interface Play {
  random: Random
  world: World
  operations: readonly Operation[]
  /** Sends a request and resolves with its answer; what is wrong with it is noted. */
  send(shot: Shot): Promise<Answer>
}

/** A way to attack. A play of it sends one request, or several that build on each other. */
export interface Generator {
  name: string
  /** How often it is chosen, compared to others. */
  weight: number
  play(play: Play): Promise<unknown>
}
