import { setTimeout as delay } from 'node:timers/promises'
import { acceptedNow, type Micros, Problem, type TraceId, type Uuid } from '@spanhouse/model'
import type { Lease, Postgres } from '@spanhouse/postgres'
import { type Engine, latestAccepted } from '@spanhouse/span-store'

/** How long a change waits for those before it, and how often it checks. */
const WAIT_MS = 10_000
const LOOK_EVERY_MS = 40

/** A trace of a project. */
export interface Place {
  project_id: Uuid
  trace_id: TraceId
}

/**
 * The turn to edit or delete the trace, one after the other among all processes: an edit publishes what it has read
 * before, which must be neither another edit's past nor deleted meanwhile. Rejects with a Problem `overloaded` if the
 * turn does not come within ten seconds. It has to be released, and ends with the process.
 */
export async function traceTurn(postgres: Pick<Postgres, 'lease'>, { project_id, trace_id }: Place): Promise<Lease> {
  const until = performance.now() + WAIT_MS
  for (;;) {
    const turn = await postgres.lease(`edit of trace ${project_id} ${trace_id}`)
    if (turn) return turn
    if (performance.now() > until) throw unavailable('Earlier edits are not stored yet.')
    await delay(LOOK_EVERY_MS)
  }
}

/**
 * The time at which a change of a trace is accepted: now, but after all that is stored of it. Another process may have
 * accepted that by a clock that is ahead, or this one before a restart with a clock that was set; an edit would be taken for an older
 * version and dropped, and a deletion would delete nothing.
 */
export async function acceptedNext(engine: Engine, place: Place): Promise<Micros> {
  const latest = await latestAccepted(engine, place)
  return Math.max(acceptedNow(), latest + 1)
}

/** Throws a Problem `overloaded` if another change may have begun, because the connection that held it is lost. */
export function requireTurn({ lost }: Lease): void {
  if (lost.aborted) throw unavailable('The connection to the database was lost.')
}

const unavailable = (reason: string): Problem =>
  new Problem('overloaded', `${reason} Nothing was changed: try again.`, { retryAfterSeconds: 1 })
