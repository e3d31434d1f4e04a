import type { Database } from '@spanhouse/postgres'
import { RUNTIMES, type Runtime } from '@spanhouse/sandbox'
import type { Logger } from 'pino'

/**
 * The languages in which code has run in this installation, remembered in Postgres, so that a process that starts later
 * prepares their interpreters before there is code to run, and only theirs.
 */
export class CodeRuntimes {
  readonly #db: Database
  readonly #log: Logger
  readonly #noted = new Set<Runtime>()

  constructor(db: Database, log: Logger) {
    this.#db = db
    this.#log = log
  }

  /** Remembers a language, once per process and without waiting for it. If that fails, the next run tries again. */
  note(runtime: Runtime): void {
    if (this.#noted.has(runtime)) return
    this.#noted.add(runtime)
    const noting = this.#db
      .insertInto('code_runtimes')
      .values({ runtime })
      .onConflict(conflict => conflict.doNothing())
      .execute()
    noting.catch(error => {
      this.#noted.delete(runtime)
      this.#log.warn({ err: error, runtime }, 'cannot remember that code of this language has run')
    })
  }

  /** None if they cannot be read, which costs the first run of each the start of its interpreter. */
  async all(): Promise<Runtime[]> {
    try {
      const rows = await this.#db.selectFrom('code_runtimes').select('runtime').execute()
      return RUNTIMES.filter(runtime => rows.some(row => row.runtime === runtime))
    } catch (error) {
      this.#log.warn(
        { err: error },
        'cannot read in which languages code has run; interpreters start with the first code',
      )
      return []
    }
  }
}
