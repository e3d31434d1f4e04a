import type { Lease, Postgres } from '@spanhouse/postgres'
import { type Place, traceTurn } from '../ingest/trace-turn.ts'
import type { RecentWrites } from './recent-writes.ts'

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
   * once its turn is lost: see `requireTurn`.
   */
  async run<T>(place: Place, edit: (turn: Lease) => Promise<T>): Promise<T> {
    const turn = await traceTurn(this.#postgres, place)
    try {
      return await edit(turn)
    } finally {
      void this.#end(turn, place)
    }
  }

  /** An error ends the turn, too: who comes next finds out whether the store responds. */
  async #end(turn: Lease, place: Place): Promise<void> {
    await this.#recent.stored(place, STORED_MS_MAX).catch(() => {})
    await turn.release().catch(() => {})
  }
}
