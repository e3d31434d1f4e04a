import { setTimeout as delay } from 'node:timers/promises'
import { Problem } from '@spanhouse/model'
import type { Lease, Postgres } from '@spanhouse/postgres'
import type { Place, RecentWrites } from './recent-writes.ts'

/** How long an edit waits for those before it, and how often it checks. */
const WAIT_MS = 10_000
const LOOK_EVERY_MS = 40
/** How long an edit that is not stored keeps others waiting. */
const STORED_MS_MAX = 30_000

/**
 * Edits of a trace, one after the other among all processes: an edit keeps what it does not replace, so it has to read
 * what the one before it wrote. The turn is a lease; it ends when the edit is stored, or with the process.
 */
export class EditTurns {
  readonly #postgres: Pick<Postgres, 'lease'>
  readonly #recent: RecentWrites

  constructor(postgres: Pick<Postgres, 'lease'>, recent: RecentWrites) {
    this.#postgres = postgres
    this.#recent = recent
  }

  /**
   * Runs the edit when those before it are stored, and resolves with its result without waiting until it is stored
   * itself. Rejects with a Problem `overloaded` if its turn does not come within ten seconds. The edit must not write
   * once its turn is lost: see {@link requireTurn}.
   */
  async run<T>(place: Place, edit: (turn: Lease) => Promise<T>): Promise<T> {
    const turn = await this.#acquire(place)
    try {
      return await edit(turn)
    } finally {
      void this.#end(turn, place)
    }
  }

  async #acquire({ project_id, trace_id }: Place): Promise<Lease> {
    const until = performance.now() + WAIT_MS
    for (;;) {
      const turn = await this.#postgres.lease(`edit of trace ${project_id} ${trace_id}`)
      if (turn) return turn
      if (performance.now() > until) throw unavailable('Earlier edits are not stored yet.')
      await delay(LOOK_EVERY_MS)
    }
  }

  /** An error ends the turn, too: who comes next finds out whether the store responds. */
  async #end(turn: Lease, place: Place): Promise<void> {
    await this.#recent.stored(place, STORED_MS_MAX).catch(() => {})
    await turn.release().catch(() => {})
  }
}

/** Throws a Problem `overloaded` if another edit may have begun, because the connection that held the lease is lost. */
export function requireTurn({ lost }: Lease): void {
  if (lost.aborted) throw unavailable('The connection to the database was lost.')
}

const unavailable = (reason: string): Problem =>
  new Problem('overloaded', `${reason} Nothing was changed: try again.`, { retryAfterSeconds: 1 })
