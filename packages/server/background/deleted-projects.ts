import type { Uuid } from '@spanhouse/model'
import { type Postgres, sql, whileLeased } from '@spanhouse/postgres'
import { type Engine, removeProjects } from '@spanhouse/span-store'
import type { SpanStream } from '@spanhouse/span-stream'
import type { Logger } from 'pino'
import { removeReadersOf, removeReadersOfFormerOwners, type SqlReaders } from '../projects/sql-readers.ts'
import { type Background, inBackground, repeatedly } from './background.ts'

/**
 * Deletes the data of deleted projects outside Postgres. Postgres records each deleted project in the transaction that
 * deletes it. From then on it is swept: its user of ClickHouse, and everything that ClickHouse and the dead letters hold
 * of it, is removed.
 *
 * No single sweep is known to be the last. Spans of the project may still be in the stream, in a batch that a writer
 * could not store yet, in a receiver that cannot reach Postgres and keeps accepting the key for a while, or return when
 * a dead letter is replayed. So a project is swept forever, each time after as long as it has already been deleted, in
 * the end daily: one SELECT for many projects, which finds nothing by the table's key. Nobody can read the data in
 * between, since a deleted project has no credentials.
 */

/** How often a process checks whether sweeps are due. */
const LOOK_EVERY_MS = 5_000

/** Projects swept together. */
const PROJECTS_PER_SWEEP = 100

/** Dead letters are read completely, so they are not searched more often than this … */
const LETTERS_EVERY_MS = 10 * 60_000
/** … and not many at once. */
const LETTERS_PER_PAGE = 20

export interface SweptStores {
  postgres: Pick<Postgres, 'db' | 'lease'>
  engine: Engine
  readers: SqlReaders
  stream: Pick<SpanStream, 'stats' | 'deadLetters' | 'discard'>
}

/** Sweeps periodically, in one process at a time, which also removes the SQL readers of former owners. */
export const startSweeping = ({ log, ...stores }: SweptStores & { log: Logger }): Background =>
  inBackground(signal => {
    const sweeper = new Sweeper(stores, signal)
    const work = async (): Promise<void> => {
      await sweeper.sweep()
      await removeReadersOfFormerOwners(stores.postgres.db, stores)
    }
    return repeatedly(LOOK_EVERY_MS, signal, () =>
      whileLeased(stores.postgres, 'deleted-projects', work).catch(error =>
        log.warn({ err: error }, 'cannot remove the remaining data of deleted projects; trying again later'),
      ),
    )
  })

class Sweeper {
  readonly #stores: SweptStores
  readonly #signal: AbortSignal
  #lettersAt = Number.NEGATIVE_INFINITY

  constructor(stores: SweptStores, signal: AbortSignal) {
    this.#stores = stores
    this.#signal = signal
  }

  /** Sweeps the projects that are due. A sweep that fails or is interrupted is repeated. */
  async sweep(): Promise<void> {
    const { postgres, engine, readers } = this.#stores
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
    await removeReadersOf({ engine, readers }, ids)
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
