import { setTimeout as delay } from 'node:timers/promises'
import { call } from '../harness.ts'
import { type Addresses, newWorld, type World } from './world.ts'

/**
 * After this many plays a new world replaces the old one: lists grow with every run, and no user's project grows for
 * ever.
 */
const WORLD_PLAYS = 4_000
const TRIES = 10

/** The worlds of a run, one after the other. */
export class Worlds {
  /** How many were made anew because plays had spoiled them. */
  renewed = 0
  readonly #addresses: Addresses
  readonly #foreign: World['foreign']
  readonly #worlds = new Map<number, Promise<World>>()
  readonly #checking = new Set<number>()

  constructor(addresses: Addresses, foreign: World['foreign']) {
    this.#addresses = addresses
    this.#foreign = foreign
  }

  /** The world of a play; the one before it may still be in use, older ones are forgotten. */
  of(play: number): Promise<World> {
    const number = numberOf(play)
    this.#worlds.delete(number - 2)
    // The next one is made in time, so that no play waits for the hundred requests that it takes.
    if (play % WORLD_PLAYS > WORLD_PLAYS / 2) this.#made(number + 1).catch(() => undefined)
    return this.#made(number)
  }

  #made(number: number): Promise<World> {
    return this.#worlds.get(number) ?? this.#make(number)
  }

  #make(number: number): Promise<World> {
    const world = persistently(() => newWorld(this.#addresses, this.#foreign))
    this.#worlds.set(number, world)
    return world
  }

  /**
   * A credential of a play's world was refused. Where that is so for good, because a play has deleted it or the account
   * behind it, later plays get a new world: requests that are all refused attack nothing.
   */
  async check(play: number): Promise<void> {
    const number = numberOf(play)
    if (this.#checking.has(number)) return
    this.#checking.add(number)
    try {
      const world = this.#worlds.get(number)
      if (world === undefined || (await this.#isUsable(await world)) || this.#worlds.get(number) !== world) return
      this.renewed++
      void this.#make(number)
    } finally {
      this.#checking.delete(number)
    }
  }

  /** While the server does not respond, nothing is known and nothing is done. */
  async #isUsable({ authorization }: World): Promise<boolean> {
    const keys = [authorization.owner, authorization.editor, authorization.annotator, authorization.viewer]
    const answers = await Promise.all(
      keys.map(key => call(this.#addresses.apiUrl, 'GET', '/api/projects', key).catch(() => undefined)),
    )
    return answers.every(answer => answer?.status !== 401)
  }
}

const numberOf = (play: number): number => Math.floor(play / WORLD_PLAYS)

/** A server that has restarted, or is flooded, may refuse at first. */
async function persistently<T>(make: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++)
    try {
      return await make()
    } catch (error) {
      if (tries === TRIES) throw error
      await delay(tries * 1_000)
    }
}
