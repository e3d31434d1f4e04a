import { Problem } from '@spanhouse/model'
import type { Gauge } from 'prom-client'
import type { Tenant } from '../../shares/pool.ts'

const MIB = 1024 * 1024

/** How much memory responses being sent may hold: in total, per project, and per response. */
export const BYTES_MAX = { process: 512 * MIB, project: 256 * MIB, answer: 256 * MIB }

/**
 * Counts the memory that responses hold while they are read, rendered and sent: each is limited, but not how many are
 * requested at once. A project may use half of the room, so that it cannot keep others out.
 */
export class AnswerRoom {
  readonly #held = new Map<string, number>()
  readonly #gauge: Gauge
  #bytes = 0

  /** The gauge shows how many bytes are held. */
  constructor(gauge: Gauge) {
    this.#gauge = gauge
  }

  /** Counts one response for its project. Must be closed when it is sent or its client has gone. */
  open({ project_id }: Pick<Tenant, 'project_id'>): HeldAnswer {
    return new HeldAnswer(bytes => this.#add(project_id, bytes))
  }

  #add(project_id: string, bytes: number): void {
    const own = (this.#held.get(project_id) ?? 0) + bytes
    if (bytes > 0 && (own > BYTES_MAX.project || this.#bytes + bytes > BYTES_MAX.process)) {
      const whose = own > BYTES_MAX.project ? 'this project' : 'this server'
      throw overloaded(`Large responses of ${whose} use all memory reserved for them; try again.`)
    }
    if (own === 0) this.#held.delete(project_id)
    else this.#held.set(project_id, own)
    this.#bytes += bytes
    this.#gauge.set(this.#bytes)
  }
}

/** What one response holds of the room. */
export class HeldAnswer {
  readonly #add: (bytes: number) => void
  #bytes = 0
  #isClosed = false

  constructor(add: (bytes: number) => void) {
    this.#add = add
  }

  /**
   * Adds this many bytes. Throws a Problem: `query_limit` if the response exceeds the limit of one, `overloaded` if
   * there is no room or the client has gone.
   */
  readonly hold = (bytes: number): void => {
    if (this.#isClosed) throw overloaded('The client has closed the connection.')
    if (this.#bytes + bytes > BYTES_MAX.answer) {
      throw new Problem(
        'query_limit',
        `The response exceeds the maximum of ${BYTES_MAX.answer} bytes in memory: request less with ` +
          '`windowing.limit`, and read the spans of a large trace in pages, with POST /spans/query with a filter on `trace_id`.',
      )
    }
    this.#add(bytes)
    this.#bytes += bytes
  }

  /** Releases this many bytes. */
  readonly release = (bytes: number): void => {
    if (this.#isClosed) return
    this.#add(-bytes)
    this.#bytes -= bytes
  }

  close(): void {
    this.release(this.#bytes)
    this.#isClosed = true
  }
}

const overloaded = (detail: string): Problem => new Problem('overloaded', detail, { retryAfterSeconds: 2 })
