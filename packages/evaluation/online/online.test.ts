import { type Micros, microsNow, Problem } from '@spanhouse/model'
import { newId, sql } from '@spanhouse/postgres'
import { onEachDatabase } from '@spanhouse/postgres/database.testing.ts'
import { createSimple, KINDS } from '@spanhouse/registry'
import type { Engine } from '@spanhouse/span-store'
import { validate } from '@spanhouse/validation'
import { expect, test } from 'vitest'
import { createRuns, newRun, type Scope } from '../index.ts'
import { newScope } from '../scope.testing.ts'
import { registryScope } from '../scope.ts'
import { beginOnline } from './begin.ts'
import { type FoundTrace, takeUp } from './live-runs.ts'
import { Online } from './online.ts'

async function newLiveRun(scope: Scope, data: object = {}): Promise<string> {
  const body = { status: 'running', flags: { is_live: true, is_active: true }, data }
  const [run] = await createRuns(scope, [validate(newRun, body, 'body')])
  await beginOnline(scope, run?.id as string)
  return run?.id as string
}

onEachDatabase('live runs', postgres => {
  test('a project that cannot be read keeps no other from being looked at', async () => {
    const scopes = [await newScope(postgres()), await newScope(postgres())]
    for (const scope of scopes) await newLiveRun(scope)
    const [first, second] = scopes.map(({ project_id }) => project_id).sort() as [string, string]
    const read: string[] = []
    const online = newOnline(scopes[0] as Scope, async ({ project_id }) => {
      read.push(project_id as string)
      if (project_id === first) throw new Error('Its query takes too long.')
      return []
    })
    const wentWell = await online.lookNow()
    await online.stop()
    expect(wentWell).toBe(false)
    expect(read).toContain(second)
  })

  /** A live run over the traces with this name. */
  async function follow(scope: Scope, name: string): Promise<string> {
    const conditions = [
      { field: 'trace_type', operator: 'is', value: 'invocation' },
      { field: 'span_name', operator: 'is', value: name },
    ]
    const data = { filtering: { operator: 'and', conditions } }
    const { revision_id } = await createSimple(registryScope(scope, KINDS.query), { slug: name, data })
    const input = { type: 'input', origin: 'custom', references: { query_revision: { id: revision_id } } }
    return newLiveRun(scope, { steps: [{ key: 'q', ...input }] })
  }

  test('a run whose query fails keeps no other of its project from taking up traces', async () => {
    const scope = await newScope(postgres())
    await follow(scope, 'slow')
    const run_id = await follow(scope, 'fast')
    const trace_id = newId().replaceAll('-', '')
    const online = newOnline(scope, async params => {
      if ('since' in params) return [{ trace_id, written_at: microsNow() }]
      if (Object.values(params).includes('slow')) throw new Problem('query_timeout', 'It takes too long.')
      return [{ root_trace_id: trace_id, root_start_time: microsNow() }]
    })
    expect(await online.lookNow()).toBe(false)
    await online.stop()
    const { rows } =
      await sql`select run_id from evaluation_online_traces where project_id = ${scope.project_id}`.execute(scope.db)
    expect(rows).toEqual([{ run_id }])
  })

  test('what a run that fails has not seen for long is not read for the others', async () => {
    const scope = await newScope(postgres())
    const failing = await follow(scope, 'slow')
    await follow(scope, 'fast')
    const now = microsNow() as Micros
    await sql`update evaluation_online_runs set looked_until = now() - interval '1 hour' where run_id = ${failing}`.execute(
      scope.db,
    )
    const read: number[] = []
    const online = newOnline(scope, async params => {
      if (!('since' in params)) throw new Problem('query_timeout', 'It takes too long.')
      const since = params.since as number
      if (params.project_id !== scope.project_id) return []
      read.push(since)
      if (read.length > 1) return []
      // A page that is full.
      return Array.from({ length: 5_000 }, (_, n) => ({ trace_id: newId().replaceAll('-', ''), written_at: since + n }))
    })
    await online.lookNow()
    await online.stop()
    expect(read.slice(0, 2).map(since => since > now - 60_000_000)).toEqual([false, true])
  })

  test('a stop does not wait for all that is left to be read', async () => {
    const scope = await newScope(postgres())
    await newLiveRun(scope)
    let pages = 0
    const online = newOnline(scope, async ({ since }) => {
      pages++
      await new Promise(setImmediate)
      const written_at = (since as number) + 1
      return Array.from({ length: 5_000 }, () => ({ trace_id: newId().replaceAll('-', ''), written_at }))
    })
    await expect.poll(() => pages).toBeGreaterThan(1)
    await online.stop()
    const before = pages
    await new Promise(setImmediate)
    expect(pages).toBe(before)
  })

  test('traces that have too many cells for one transaction are taken up in several', async () => {
    const scope = await newScope(postgres())
    const judges = Array.from({ length: 501 }, (_, n) => ({ key: `e${n}`, type: 'annotation', origin: 'auto' }))
    const steps = [{ key: 'q', type: 'input', origin: 'custom' }, ...judges]
    const run_id = await newLiveRun(scope, { steps, repeats: 1_000 })
    const found = [0, 1].map((): FoundTrace => {
      return { step_key: 'q', trace_id: newId().replaceAll('-', ''), start_time: microsNow() as Micros }
    })
    const taken = [await takeUp(scope, run_id, found), await takeUp(scope, run_id, found)]
    expect([...taken, await takeUp(scope, run_id, found)]).toEqual([1, 1, 0])
  })

  /** Follows the runs of a database whose statements about spans are answered so. */
  const newOnline = ({ runtime }: Scope, rows: (params: Record<string, unknown>) => Promise<object[]>): Online =>
    new Online({
      postgres: {
        db: postgres().db,
        lease: async name => ({ name, lost: new AbortController().signal, release: async () => {} }),
      },
      runtime,
      engine: { rows: ({ params }: { params: Record<string, unknown> }) => rows(params) } as unknown as Engine,
      stream: { stats: async () => ({ depth: 0, oldestSeconds: 0 }) },
      dispatcher: { start: () => {} },
      log: { warn: () => {} },
    })
})
