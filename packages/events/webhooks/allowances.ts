import type { Uuid } from '@spanhouse/model'

/** Places for attempts under way in one process: each attempt holds a connection, a body and an event. */
const PLACES_MAX = 1_000
/** Of these, to subscriptions whose last attempt failed: a receiver that stalls holds its attempt for ten seconds. */
const FAILING_MAX = PLACES_MAX / 2
/** To one subscription. */
const SUBSCRIPTION_MAX = 64
/** To one that has not answered yet. */
const SUBSCRIPTION_FIRST = 4
/** Allowances that are remembered: each claim sends all of them to the database. */
const REMEMBERED_MAX = 10 * PLACES_MAX

interface Allowance {
  underWay: number
  /** Taken by what is under way. */
  places: number
  allowed: number
  isFailing: boolean
}

/**
 * How many attempts each subscription may have under way. It begins with a few, grows with each success, and falls to
 * one with a failure: receivers that stall or are gone hold few attempts, and the others find room.
 */
export class Allowances {
  readonly #bySubscription = new Map<Uuid, Allowance>()
  #underWay = 0
  #places = 0
  #failing = 0

  get underWay(): number {
    return this.#underWay
  }

  /** How many places are free. */
  get room(): number {
    return Math.max(0, PLACES_MAX - this.#places)
  }

  /** Of a subscription that is not among {@link held}. */
  readonly roomAtFirst = SUBSCRIPTION_FIRST

  /** The subscriptions with an allowance of their own: how many attempts to each may start now. */
  held(): { id: Uuid; room: number }[] {
    const isFull = this.#failing >= FAILING_MAX
    return [...this.#bySubscription].map(([id, { allowed, underWay, isFailing }]) => ({
      id,
      room: isFailing && isFull ? 0 : Math.max(0, allowed - underWay),
    }))
  }

  started(id: Uuid, places: number): void {
    const known = this.#bySubscription.get(id)
    const allowance = known ?? { underWay: 0, places: 0, allowed: SUBSCRIPTION_FIRST, isFailing: false }
    this.#bySubscription.set(id, allowance)
    allowance.underWay++
    allowance.places += places
    this.#underWay++
    this.#places += places
    if (allowance.isFailing) this.#failing += places
  }

  ended(id: Uuid, places: number, isSuccess: boolean): void {
    const allowance = this.#bySubscription.get(id) as Allowance
    if (allowance.isFailing) this.#failing -= allowance.places
    allowance.underWay--
    allowance.places -= places
    this.#underWay--
    this.#places -= places
    allowance.isFailing = !isSuccess
    allowance.allowed = isSuccess ? Math.min(SUBSCRIPTION_MAX, allowance.allowed + 1) : 1
    if (allowance.isFailing) this.#failing += allowance.places
    // The map has those that have answered last at its end.
    this.#bySubscription.delete(id)
    this.#bySubscription.set(id, allowance)
    if (this.#bySubscription.size > REMEMBERED_MAX) this.#forgetOne()
  }

  /** The one with nothing under way that has not answered for the longest time: it may have been deleted. */
  #forgetOne(): void {
    for (const [id, { underWay }] of this.#bySubscription)
      if (underWay === 0) {
        this.#bySubscription.delete(id)
        return
      }
  }
}
