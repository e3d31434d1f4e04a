import { databaseProblem } from './database-problem.ts'
import type { Lease, Leases } from './lease.ts'
import { LeaseSession } from './lease-session.ts'
import type { PostgresLimits } from './limits.ts'

const LOCK = 'select pg_try_advisory_lock(hashtextextended($1, 0)) as yes'
/** `pg_locks` shows an advisory lock on a bigint in two halves, with 1 as `objsubid`. */
const COUNT = `
select count(*)::int as count from unnest($1::text[]) as name
where exists (
  select from pg_locks
  where locktype = 'advisory' and granted and objsubid = 1
    and database = (select oid from pg_database where datname = current_database())
    and classid::bigint = (hashtextextended(name, 0) >> 32) & 4294967295
    and objid::bigint = hashtextextended(name, 0) & 4294967295
)`
const UNLOCK = 'select pg_advisory_unlock(hashtextextended($1, 0)) as yes'

/**
 * Leases as advisory locks of one Postgres session, which this process keeps on a separate connection for all of them.
 * Postgres releases the locks when the session ends, so the death of a holder needs no timeout.
 *
 * The session has two states. None: the next `tryAcquire` opens it. Open: it is monitored. When it ends, every lease it
 * held is lost at once and the state is None again.
 *
 * If the network fails silently or the holder is paused, the server ends the session after three missed heartbeats (9 s
 * by default). A running holder knows after two; a paused holder has to be fenced where it writes. A pooler must keep
 * the session of a connection (see `requireKeptSessions`).
 */
export class SessionLeases implements Leases {
  readonly #url: string
  readonly #limits: PostgresLimits
  /** Also contains names being acquired: one session could take the same advisory lock twice. */
  readonly #held = new Map<string, AbortController>()
  #session: Promise<LeaseSession> | null = null
  #isClosed = false

  constructor(url: string, limits: PostgresLimits) {
    this.#url = url
    this.#limits = limits
  }

  async tryAcquire(name: string): Promise<Lease | null> {
    if (this.#isClosed) throw new Error('the database was closed')
    if (this.#held.has(name)) return null
    const loss = new AbortController()
    this.#held.set(name, loss)
    const isMine = await this.#lock(name).catch(error => {
      this.#forget(name, loss)
      throw databaseProblem(error) ?? error
    })
    if (isMine) return this.#lease(name, loss)
    this.#forget(name, loss)
    return null
  }

  async countHeld(names: readonly string[]): Promise<number> {
    if (this.#isClosed) throw new Error('the database was closed')
    try {
      return await (await this.#openSession()).count(COUNT, names)
    } catch (error) {
      throw databaseProblem(error) ?? error
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const session = await this.#session?.catch(() => null)
    session?.end(new Error('the database was closed'))
  }

  #lease(name: string, loss: AbortController): Lease {
    let released: Promise<void> | undefined
    const release = () => {
      released ??= this.#release(name, loss)
      return released
    }
    return { name, lost: loss.signal, release }
  }

  async #lock(name: string): Promise<boolean> {
    const session = await this.#openSession()
    return session.ask(LOCK, name)
  }

  /** If the server cannot be told, ending the session releases the lock; that also loses the other leases. */
  async #release(name: string, loss: AbortController): Promise<void> {
    if (this.#held.get(name) !== loss) return
    const session = await this.#openSession()
    await session.ask(UNLOCK, name).catch(error => session.end(error))
    this.#forget(name, loss)
  }

  #forget(name: string, loss: AbortController): void {
    if (this.#held.get(name) === loss) this.#held.delete(name)
  }

  #openSession(): Promise<LeaseSession> {
    this.#session ??= LeaseSession.open(this.#url, this.#limits, reason => this.#loseAll(reason))
    return this.#session
  }

  /** Only one session exists at a time, so all leases held or being acquired belong to the one that ended. */
  #loseAll(reason: Error): void {
    this.#session = null
    const losses = [...this.#held.values()]
    this.#held.clear()
    for (const loss of losses) loss.abort(reason)
  }
}
