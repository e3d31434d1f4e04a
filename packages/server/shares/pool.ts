import { Problem } from '@spanhouse/model'

/**
 * Who holds slots of a pool. Projects of one organization have a common limit, so that creating more of them gains
 * nothing.
 */
export interface Tenant {
  readonly project_id: string
  readonly organization_id: string
}

/** Callers outside a project are one tenant per kind: the platform administrator, and callers without a credential. */
export const ADMINISTRATION: Tenant = { project_id: 'administration', organization_id: 'administration' }
export const PUBLIC: Tenant = { project_id: 'public', organization_id: 'public' }

/** The limits of a pool. */
export interface Division {
  /** Concurrent requests of the whole process. */
  readonly slots: number
  /** Of these, one project's and one organization's. */
  readonly project: number
  readonly organization: number
  /** Waiting requests of one project. */
  readonly waiting: number
}

/** How long a request waits for a slot. */
export const WAIT_MS = 10_000

const RETRY_AFTER_SECONDS = { too_many_requests: 2, overloaded: 2 } as const

interface Waiter {
  readonly tenant: Tenant
  readonly admit: () => void
}

/**
 * Slots shared by tenants. A request takes one at once if its project, its organization and the process have one left;
 * otherwise it waits in its project's queue. A returned slot goes to the next eligible project in turn, so a project
 * gets one slot per round however many requests it has waiting.
 *
 * A waiting request is eligible if its project and organization hold fewer slots than their limits. Whenever a slot is
 * free, no eligible request waits: `#admitWaiting` restores this after each release, and it allows a new request of a
 * project without a queue to take a free slot at once.
 */
export class Pool {
  readonly #name: string
  readonly #division: Division
  readonly #underWay = new Map<string, number>()
  /** By project, in the order of their turns. None is empty. */
  readonly #queues = new Map<string, Waiter[]>()
  #inUse = 0

  /** The name appears in errors: "Too many … requests". */
  constructor(name: string, division: Division) {
    this.#name = name
    this.#division = division
  }

  get inUse(): number {
    return this.#inUse
  }

  get waiting(): number {
    return [...this.#queues.values()].reduce((sum, queue) => sum + queue.length, 0)
  }

  /**
   * Resolves with a function that returns the slot and may be called more than once. Rejects with a Problem if the
   * queue is full or ten seconds have passed: `too_many_requests` (429) if the tenant holds its whole limit,
   * `overloaded` (503) if the others do. Rejects with the signal's reason if it aborts first.
   */
  async take(tenant: Tenant, signal: AbortSignal): Promise<() => void> {
    signal.throwIfAborted()
    if (this.#queues.has(tenant.project_id) || !this.#hasRoom(tenant)) await this.#wait(tenant, signal)
    else this.#count(tenant, 1)
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      this.#count(tenant, -1)
      this.#admitWaiting()
    }
  }

  #hasRoom(tenant: Tenant): boolean {
    return this.#inUse < this.#division.slots && this.#hasPart(tenant)
  }

  /** Whether it holds fewer slots than its limit, whether or not a slot is free. */
  #hasPart({ project_id, organization_id }: Tenant): boolean {
    const { project, organization } = this.#division
    return this.#held(projectKey(project_id)) < project && this.#held(organizationKey(organization_id)) < organization
  }

  #held(key: string): number {
    return this.#underWay.get(key) ?? 0
  }

  #count({ project_id, organization_id }: Tenant, change: 1 | -1): void {
    this.#inUse += change
    for (const key of [projectKey(project_id), organizationKey(organization_id)]) {
      const held = this.#held(key) + change
      if (held === 0) this.#underWay.delete(key)
      else this.#underWay.set(key, held)
    }
  }

  /** Resolves when the slot has been counted for the tenant. */
  #wait(tenant: Tenant, signal: AbortSignal): Promise<void> {
    const queue = this.#queues.get(tenant.project_id) ?? []
    if (queue.length >= this.#division.waiting) throw this.#refusal(tenant)
    this.#queues.set(tenant.project_id, queue)
    return new Promise((resolve, reject) => {
      const stop = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', abort)
      }
      const waiter: Waiter = {
        tenant,
        admit: () => {
          stop()
          resolve()
        },
      }
      const leave = (reason: unknown): void => {
        stop()
        queue.splice(queue.indexOf(waiter), 1)
        if (queue.length === 0) this.#queues.delete(tenant.project_id)
        reject(reason)
      }
      const abort = (): void => leave(signal.reason)
      const timer = setTimeout(() => leave(this.#refusal(tenant)), WAIT_MS)
      signal.addEventListener('abort', abort)
      queue.push(waiter)
    })
  }

  #admitWaiting(): void {
    while (this.#inUse < this.#division.slots) {
      const next = [...this.#queues.values()].find(([first]) => first && this.#hasPart(first.tenant))
      const waiter = next?.shift()
      if (!next || !waiter) return
      this.#toBack(waiter.tenant.project_id, next)
      this.#count(waiter.tenant, 1)
      waiter.admit()
    }
  }

  /** The project has had its turn. */
  #toBack(project_id: string, queue: Waiter[]): void {
    this.#queues.delete(project_id)
    if (queue.length > 0) this.#queues.set(project_id, queue)
  }

  #refusal(tenant: Tenant): Problem {
    // A limit that equals the total is not the tenant's own.
    const isOwn = !this.#hasPart(tenant) && this.#division.project < this.#division.slots
    const code = isOwn ? 'too_many_requests' : 'overloaded'
    const whose = isOwn ? 'of this project or its organization are in progress' : 'are in progress'
    const detail = `Too many ${this.#name} requests ${whose}; try again.`
    return new Problem(code, detail, { retryAfterSeconds: RETRY_AFTER_SECONDS[code] })
  }
}

const projectKey = (id: string): string => `project ${id}`
const organizationKey = (id: string): string => `organization ${id}`
