import { Problem } from '@spanhouse/model'
import type { Gauge } from 'prom-client'
import { PUBLIC, type Tenant } from '../shares/pool.ts'

const MiB = 1024 * 1024

/** Bytes of all requests in flight together. */
export const ROOM_BYTES = 256 * MiB
/** What one project may have of it, and the platform's administrator: the others always find room. */
const PROJECT_BYTES_MAX = ROOM_BYTES / 2
/** Callers without a credential together. */
const PUBLIC_BYTES_MAX = 8 * MiB

/**
 * Lets requests in as long as there is room for them. Each endpoint has a limit for one body, but there is none for how many
 * senders there are: so the bytes of all bodies that are being received or worked on are counted, exports and JSON alike, as
 * they arrive and as what is made of them. Nothing is reserved by what a request announces: one that announces and does
 * not send would keep others out.
 */
export class Room {
  #bytes = 0
  readonly #byProject = new Map<string, number>()
  readonly #gauge: Gauge

  /** The gauge shows how many bytes there are. */
  constructor(gauge: Gauge) {
    this.#gauge = gauge
  }

  /** What one request holds, nothing at first. */
  enter({ project_id }: Pick<Tenant, 'project_id'>): Held {
    return new Held(bytes => this.#add(project_id, bytes))
  }

  #add(project_id: string, bytes: number): void {
    const own = (this.#byProject.get(project_id) ?? 0) + bytes
    const ownMax = project_id === PUBLIC.project_id ? PUBLIC_BYTES_MAX : PROJECT_BYTES_MAX
    if (bytes > 0 && (this.#bytes + bytes > ROOM_BYTES || own > ownMax))
      throw new Problem('overloaded', 'Too much data is being received at once', { retryAfterSeconds: 1 })
    this.#bytes += bytes
    if (own === 0) this.#byProject.delete(project_id)
    else this.#byProject.set(project_id, own)
    this.#gauge.set(this.#bytes)
  }
}

/** The bytes that one request has in memory, by this count. */
export class Held {
  #bytes = 0
  readonly #add: (bytes: number) => void

  constructor(add: (bytes: number) => void) {
    this.#add = add
  }

  /** Counts so many bytes more, or fewer. Throws a Problem `overloaded` when there is no room for them. */
  add(bytes: number): void {
    this.#add(bytes)
    this.#bytes += bytes
  }

  /** Counts nothing any more. May be called again. */
  release(): void {
    this.add(-this.#bytes)
  }
}
