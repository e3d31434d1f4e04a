import { setTimeout as delay } from 'node:timers/promises'
import type { Uuid } from '@spanhouse/model'
import { type Postgres, sql } from '@spanhouse/postgres'
import { type Engine, removeProjects } from '@spanhouse/span-store'
import type { SpanStream } from '@spanhouse/span-stream'
import type { Logger } from 'pino'

/*
 * What is stored by project outside Postgres goes after the project has. Postgres notes each deleted project in the
 * transaction that deletes it. From then on it is swept: all that ClickHouse and the dead letters have of it is removed.
 *
 * No single sweep is known to be the last. Spans of the project may still be in the stream, in a batch that a writer has
 * waited to store since before, in a receiver that cannot reach Postgres and goes on with the key for a while, or come
 * back as a dead letter that is replayed. So a project is swept again for ever, after as long as it has been gone already
 * and daily in the end: one SELECT for many projects, which finds nothing by the table's key. Nobody can read what is
 * there in between, since there is no credential for a project that is gone.
 */

/** How often a process looks whether sweeps are due. */
const LOOK_EVERY_MS = 5_000

/** Projects that are swept together. */
const PROJECTS_PER_SWEEP = 100

/** Dead letters are read whole, so they are not gone through more often … */
const LETTERS_EVERY_MS = 10 * 60_000
/** … and not many at once. */
const LETTERS_PER_PAGE = 20

export interface SweptStores {
  postgres: Pick<Postgres, 'db' | 'lease'>
  engine: Engine
  stream: Pick<SpanStream, 'stats' | 'deadLetters' | 'discard'>
}

/** Sweeps from time to time; of several processes one at a time does. `stop` resolves when no statement is under way. */
export function startSweeping({ log, ...stores }: SweptStores & { log: Logger }): { stop(): Promise<void> } {
  const stopping = new AbortController()
  const ended = sweepNowAndThen(new Sweeper(stores, stopping.signal), log, stopping.signal)
  return {
    stop: () => {
      stopping.abort()
      return ended
    },
  }
}

async function sweepNowAndThen(sweeper: Sweeper, log: Logger, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sweeper.sweepAlone().catch(error => {
      log.warn({ err: error }, 'cannot remove the remaining data of deleted projects; trying again later')
    })
    await delay(LOOK_EVERY_MS, undefined, { signal }).catch(() => {})
  }
}

export class Sweeper {
  readonly #stores: SweptStores
  readonly #signal: AbortSignal
  #lettersAt = Number.NEGATIVE_INFINITY

  constructor(stores: SweptStores, signal: AbortSignal) {
    this.#stores = stores
    this.#signal = signal
  }

  /** Does nothing while another process sweeps. */
  async sweepAlone(): Promise<void> {
    const lease = await this.#stores.postgres.lease('deleted-projects')
    if (lease === null) return
    try {
      await this.sweep()
    } finally {
      await lease.release()
    }
  }

  /** Sweeps the projects for which it is time. A sweep that fails or is cut short is done again. */
  async sweep(): Promise<void> {
    const { postgres, engine } = this.#stores
    const due = await postgres.db
      .selectFrom('deleted_projects')
      .select('project_id')
      .where('sweep_at', '<=', sql<string>`now()`)
      .orderBy('sweep_at')
      .limit(PROJECTS_PER_SWEEP)
      .execute()
    if (due.length === 0) return
    const ids = due.map(({ project_id }) => project_id)
    await removeProjects(engine, ids, this.#signal)
    await this.#removeLetters()
    if (this.#signal.aborted) return
    await postgres.db
      .updateTable('deleted_projects')
      .set({ sweep_at: sql`now() + least('1 day', greatest('10 seconds', now() - deleted_at))` })
      .where('project_id', 'in', ids)
      .execute()
  }

  async #removeLetters(): Promise<void> {
    const { stream } = this.#stores
    if (performance.now() - this.#lettersAt < LETTERS_EVERY_MS || (await stream.stats()).deadLetters === 0) return
    this.#lettersAt = performance.now()
    for (let after = ''; !this.#signal.aborted; ) {
      const letters = await stream.deadLetters({ limit: LETTERS_PER_PAGE, ...(after && { after }) })
      const last = letters.at(-1)
      if (last === undefined) return
      const gone = await this.#deletedAmong(letters.map(({ message }) => message.project_id))
      for (const { id, message } of letters) if (gone.has(message.project_id)) await stream.discard(id)
      after = last.id
    }
  }

  async #deletedAmong(project_ids: readonly Uuid[]): Promise<Set<Uuid>> {
    const rows = await this.#stores.postgres.db
      .selectFrom('deleted_projects')
      .select('project_id')
      .where('project_id', 'in', project_ids)
      .execute()
    return new Set(rows.map(({ project_id }) => project_id))
  }
}
