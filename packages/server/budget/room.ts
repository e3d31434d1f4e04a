import { Problem } from '@spanhouse/model'
import type { Gauge } from 'prom-client'
import { PUBLIC, type Tenant } from '../shares/pool.ts'

const MiB = 1024 * 1024

/** Bytes of all requests in progress. */
export const ROOM_BYTES = 256 * MiB
/** The share that one project, or the platform administrator, may use: the others always find room. */
const PROJECT_BYTES_MAX = ROOM_BYTES / 2
/** The share of all callers without a credential together. */
const PUBLIC_BYTES_MAX = 8 * MiB

/**
 * Admits request bodies while there is room for them. Each endpoint limits one body, but not the number of senders: so
 * the bytes of all bodies being received or processed are counted, exports and JSON alike, as they arrive, including
 * the data made from them. Nothing is reserved by announced length: a sender that announces a body but does not send it
 * would keep others out.
 */
export class Room {
  #bytes = 0
  readonly #byProject = new Map<string, number>()
  readonly #gauge: Gauge

  /** The gauge shows the bytes held. */
  constructor(gauge: Gauge) {
    this.#gauge = gauge
  }

  /** What one request holds; initially nothing. */
  enter({ project_id }: Pick<Tenant, 'project_id'>): Held {
    return new Held((bytes, held) => this.#add(project_id, bytes, held))
  }

  #add(project_id: string, bytes: number, held: number): void {
    const own = (this.#byProject.get(project_id) ?? 0) + bytes
    const ownMax = project_id === PUBLIC.project_id ? PUBLIC_BYTES_MAX : PROJECT_BYTES_MAX
    if (held > ownMax)
      throw new Problem('too_large', `The request takes more than ${ownMax} bytes of memory; send less at once`)
    if (bytes > 0 && (this.#bytes + bytes > ROOM_BYTES || own > ownMax))
      throw new Problem('overloaded', 'Too much data is being received at once', { retryAfterSeconds: 1 })
    this.#bytes += bytes
    if (own === 0) this.#byProject.delete(project_id)
    else this.#byProject.set(project_id, own)
    this.#gauge.set(this.#bytes)
  }
}

/** The bytes that one request has in memory, counted here. */
export class Held {
  #bytes = 0
  readonly #add: (bytes: number, held: number) => void

  /** `add` gets the bytes and what the request then holds. */
  constructor(add: (bytes: number, held: number) => void) {
    this.#add = add
  }

  /**
   * Adds or subtracts this many bytes. Throws a Problem `overloaded` if there is no room for them now, `too_large` if
   * there never will be.
   */
  add(bytes: number): void {
    this.#add(bytes, this.#bytes + bytes)
    this.#bytes += bytes
  }

  /** Releases everything. May be called again. */
  release(): void {
    this.add(-this.#bytes)
  }
}
