import { Problem } from '@spanhouse/model'
import { sql } from '@spanhouse/postgres'
import { findRevision, inTransaction, KINDS } from '@spanhouse/registry'
import type { RunRow } from '../entities/rows.ts'
import { findRow } from '../entities/select.ts'
import { mintedMax, mintScenarios, type Source } from '../execution/mint.ts'
import { lockOpenRun } from '../runs/guard.ts'
import { stepsOf } from '../runs/run-data.ts'
import { registryScope, type Scope } from '../scope.ts'
import { claimRun } from './claims.ts'
import type { EngineParts } from './doors.ts'
import { endRun } from './finish-run.ts'
import type { Membership } from './membership.ts'
import { asUuid } from './trace-ids.ts'

/**
 * Carries out the stored queries of a run and makes a scenario for each trace they find; a run over no trace is a
 * success, and one whose query is gone, not valid or finds too much has failed. Does nothing when another worker does
 * it.
 */
export async function mintFromQueries(parts: EngineParts, membership: Membership): Promise<void> {
  const { db, runtime } = parts
  const { project_id, run_id } = membership
  const work = await claimRun(db, membership, 'mint')
  if (!work) return
  const scope: Scope = { db, runtime, project_id, user_id: work.user_id }
  const run = await findRow(scope, 'runs', run_id)
  if (!run) return
  const sources = await findSources(parts, scope, run)
  await inTransaction(scope, async inside => {
    const locked = await lockOpenRun(inside, run_id, 'change')
    if (!locked || !(await takeMint(inside, membership))) return
    const isTooMuch = sources !== undefined && sources.length > mintedMax(locked)
    if (isTooMuch) parts.log.warn({ run_id, traces: sources.length }, 'the stored query of a run finds too many traces')
    if (!sources || isTooMuch) await endRun(inside, run_id, 'failure')
    else if (sources.length === 0) await endRun(inside, run_id, 'success')
    else await mintScenarios(inside, locked, sources)
  })
}

/** The traces that all queries find; undefined when one of them cannot be carried out. */
async function findSources({ traces, log }: EngineParts, scope: Scope, run: RunRow): Promise<Source[] | undefined> {
  const sources: Source[] = []
  for (const { key, references } of stepsOf(run)) {
    const id = references.query_revision?.id
    if (id === undefined) continue
    const row = await findRevision(registryScope(scope, KINDS.query), { revision: { id } })
    if (!row?.data) return undefined
    try {
      const found = await traces.query(scope.project_id, row.data)
      for (const trace_id of found) sources.push({ step_key: key, trace_id: asUuid(trace_id) })
    } catch (error) {
      if (!(error instanceof Problem) || error.retryable) throw error
      log.warn({ err: error, run_id: run.id }, 'the stored query of a run is not valid')
      return undefined
    }
  }
  return sources
}

/** False when the run was stopped meanwhile. */
async function takeMint({ db, project_id }: Scope, { run_id, worker_id }: Membership): Promise<boolean> {
  const { rows } = await sql`update evaluation_runs t set work = null, claimed_by = null
    where t.project_id = ${project_id} and t.id = ${run_id} and t.claimed_by = ${worker_id}
      and t.work ->> 'kind' = 'mint' returning t.id`.execute(db)
  return rows.length > 0
}
