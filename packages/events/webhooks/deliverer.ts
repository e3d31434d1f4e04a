import { setTimeout as delay } from 'node:timers/promises'
import type { Vault } from '@spanhouse/access'
import { type OutboundRules, outboundFetch } from '@spanhouse/outbound'
import { type Database, onBehalfOf } from '@spanhouse/postgres'
import { tracedJob } from '@spanhouse/telemetry'
import { Allowances } from './allowances.ts'
import { type EndedDelivery, endedOf, storeEnded } from './deliveries.ts'
import { type Claim, claimDue, type Postponed, postpone, renew } from './queue.ts'
import { ATTEMPT_LIMITS, type Outcome, send } from './send.ts'

/*
 * A delivery is a row of the queue until it has ended:
 *
 *     recorded with its event ──→ claimed ──→ attempted ──→ ended: its record is stored, its row deleted, in one statement
 *                        ↑            │            │
 *                        │            │            └─ failed, another attempt may succeed: due again later
 *                        └────────────┴─ its process died: due again when the claim has run out
 *
 * So each event reaches each receiver at least once; twice if a process dies between an answer and its record. A claim is
 * renewed until the outcome is written: an attempt may wait long, for the bodies of others to be rendered.
 */

/** The pauses before the attempts after the first, in seconds; each is shortened at random by up to half. */
const RETRY_SECONDS = [1, 3, 9, 27, 81] as const

/** How often the queue is looked at while nothing is due. */
const LOOK_MS = 250
/** How often claims are renewed: several times before they run out. */
const RENEW_MS = 5_000
/** Deliveries claimed, and outcomes written, by one statement. */
const BATCH_MAX = 250
/** After an error of the database. */
const AFTER_ERROR_MS = 1_000
/** How long attempts that are under way at a stop may take to end; others repeat them later. */
const STOP_MS = 2_000

export interface DelivererOptions {
  db: Database
  vault: Vault
  outbound: OutboundRules
  /** Called for each attempt, with the seconds from the event to its end. */
  onAttempt(outcome: 'success' | 'retry' | 'failed', seconds: number): void
  /** Called when the database fails, or a secret cannot be decrypted: deliveries continue when it can. */
  onError(error: unknown): void
  retrySeconds?: readonly number[]
}

/** How the attempt of a claim has ended. */
interface Noted {
  claim: Claim
  outcome: Outcome
  /** Seconds until the next attempt; absent if it was the last one. */
  pause: number | undefined
}

/** Delivers what is queued. Any number of processes may do so at once. */
export class Deliverer {
  readonly #options: DelivererOptions
  readonly #retrySeconds: readonly number[]
  readonly #fetch: ReturnType<typeof outboundFetch>
  readonly #allowances = new Allowances()
  readonly #stopping = new AbortController()
  readonly #aborting = new AbortController()
  readonly #attempts = new Set<Promise<void>>()
  readonly #running: Promise<void>
  /** Whose outcomes are not being written yet. */
  readonly #held = new Set<Claim>()
  #noted: Noted[] = []
  #writing: Promise<void> | undefined
  #renewing: Promise<void> | undefined
  #renewedAt = performance.now()
  #wake: (() => void) | undefined

  constructor(options: DelivererOptions) {
    this.#options = options
    this.#retrySeconds = options.retrySeconds ?? RETRY_SECONDS
    this.#fetch = outboundFetch({ ...options.outbound, ...ATTEMPT_LIMITS })
    // Embedded, deliveries take turns with the projects' requests.
    this.#running = onBehalfOf('webhooks', () => this.#run())
  }

  get underWay(): number {
    return this.#allowances.underWay
  }

  /** Claims nothing more, and resolves when what is under way has ended and is recorded, or was given up. */
  async stop(): Promise<void> {
    this.#stopping.abort()
    this.#wake?.()
    await this.#running
    const timer = setTimeout(() => this.#aborting.abort(), STOP_MS)
    await Promise.all(this.#attempts)
    clearTimeout(timer)
    await this.#writing
    await this.#fetch.close()
  }

  async #run(): Promise<void> {
    const { signal } = this.#stopping
    while (!signal.aborted) {
      const claimed = await this.#claim().catch((error: unknown) => {
        this.#options.onError(error)
        return 'error' as const
      })
      if (claimed === 'error') await delay(AFTER_ERROR_MS, undefined, { signal }).catch(() => undefined)
      else if (claimed === 0) await this.#rest()
    }
  }

  async #claim(): Promise<number> {
    // First, so that what this process attempts is never due to itself.
    if (performance.now() - this.#renewedAt > RENEW_MS) await this.#renew()
    const max = Math.min(BATCH_MAX, this.#allowances.room)
    if (max === 0) return 0
    const { db, vault, onError: onUnreadable } = this.#options
    const { roomAtFirst: each } = this.#allowances
    const claims = await claimDue({ db, vault, onUnreadable }, { max, each, held: this.#allowances.held() })
    for (const claim of claims) this.#start(claim)
    return claims.length
  }

  async #renew(): Promise<void> {
    const { db, onError } = this.#options
    if (this.#held.size > 0) this.#renewing = renew(db, [...this.#held]).catch(onError)
    await this.#renewing
    this.#renewedAt = performance.now()
  }

  /** Until it is time to look again, or some attempts have ended and made room. */
  #rest(): Promise<void> {
    return new Promise(resolve => {
      const done = (): void => {
        clearTimeout(timer)
        this.#wake = undefined
        resolve()
      }
      const timer = setTimeout(done, LOOK_MS)
      this.#wake = done
    })
  }

  #start(claim: Claim): void {
    this.#allowances.started(claim.subscription_id, claim.places)
    this.#held.add(claim)
    const attempt = this.#attempt(claim).finally(() => this.#attempts.delete(attempt))
    this.#attempts.add(attempt)
  }

  async #attempt(claim: Claim): Promise<void> {
    const { message, subscription_id, places } = claim
    let isSuccess = false
    try {
      const { project_id } = message.event
      const outcome = await tracedJob('webhook delivery', { project_id, 'spanhouse.delivery_id': message.id }, () =>
        send(this.#fetch, message, this.#aborting.signal),
      )
      isSuccess = outcome.status.message === 'success'
      this.#note(claim, outcome)
    } catch (error) {
      // Given up at a stop, or a defect: the claim runs out, and the delivery is due again.
      this.#held.delete(claim)
      if (!this.#aborting.signal.aborted) this.#options.onError(error)
    } finally {
      this.#allowances.ended(subscription_id, places, isSuccess)
    }
  }

  #note(claim: Claim, outcome: Outcome): void {
    const seconds = (Date.now() - Date.parse(claim.message.event.created_at)) / 1000
    const pause = outcome.mayRetry ? this.#retrySeconds[claim.attempts] : undefined
    this.#options.onAttempt(pause === undefined ? outcome.status.message : 'retry', seconds)
    this.#noted.push({ claim, outcome, pause })
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
      this.#wake?.()
    })
  }

  /** What ends while a statement runs goes with the next one. Outcomes that cannot be written are found out again. */
  async #write(): Promise<void> {
    const { db, onError } = this.#options
    await delay(0)
    while (this.#noted.length > 0) {
      const noted = this.#noted.splice(0, BATCH_MAX)
      for (const { claim } of noted) this.#held.delete(claim)
      // It may have changed the times by which the claims are recognised.
      await this.#renewing
      const ended = noted.filter(({ pause }) => pause === undefined).map(toEnded)
      const postponed = noted.filter(({ pause }) => pause !== undefined).map(toPostponed)
      if (ended.length > 0) await storeEnded(db, ended, null).catch(onError)
      if (postponed.length > 0) await postpone(db, postponed).catch(onError)
    }
  }
}

const toEnded = ({ claim, outcome }: Noted): EndedDelivery => ({
  ...endedOf(claim.message, claim.subscription_id, outcome),
  claimed_until: claim.claimed_until,
})

const toPostponed = ({ claim, pause = 0 }: Noted): Postponed => ({
  subscription_id: claim.subscription_id,
  event_id: claim.event_id,
  attempts: claim.attempts + 1,
  claimed_until: claim.claimed_until,
  seconds: pause * (0.5 + Math.random() / 2),
})
