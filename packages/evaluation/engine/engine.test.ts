import { newId, sql } from '@spanhouse/postgres'
import { onEachDatabase } from '@spanhouse/postgres/database.testing.ts'
import { createSimple, KINDS } from '@spanhouse/registry'
import { validate } from '@spanhouse/validation'
import { expect, test, vi } from 'vitest'
import {
  type CallResult,
  createEvaluation,
  Engine,
  type EngineParts,
  findRow,
  type Metrics,
  newEvaluation,
  newMetrics,
  type Owner,
  processSlice,
  type Scope,
  startRun,
  stopRun,
  type WorkflowCall,
  writeMetrics,
} from '../index.ts'
import { newScope } from '../scope.testing.ts'
import { type MetricsPlace, registryScope } from '../scope.ts'

const revisionOf = async (scope: Scope, kind: 'application' | 'testset', data: object): Promise<string> => {
  const made: any = await createSimple(registryScope(scope, KINDS[kind]), { slug: `x-${newId()}`, data } as never)
  return made.revision_id
}

/** Makes runs over so many testcases, one after the other, each of an application of its own. */
async function runsOver(scope: Scope, cases: number): Promise<() => Promise<string>> {
  const testcases = Array.from({ length: cases }, (_, n) => ({ data: { n } }))
  const testset = await revisionOf(scope, 'testset', { testcases })
  return async () => {
    const application = await revisionOf(scope, 'application', { uri: 'agenta:custom:mock:v0' })
    const data = { testset_steps: [testset], application_steps: [application], concurrency: { batch_size: 1 } }
    return (await createEvaluation(scope, validate(newEvaluation, { data }, 'body'))).id
  }
}

/** How many cells of the application have a status. */
async function statusesOf({ db }: Scope, run_id: string, status: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*)::int as count from evaluation_results
    where run_id = ${run_id} and status = ${status} and step_key like 'application-%'`.execute(db)
  return rows[0]?.count ?? 0
}

const succeeded = (trace_id: string): CallResult => ({
  status: { code: 200, message: 'Success' },
  traced: { place: { trace_id, span_id: trace_id.slice(16) }, outputs: 1, trace: {} },
  recorded: Promise.resolve(),
})

/** An engine that calls these instead of applications, over no stored traces. */
const engineOf = ({ db, runtime }: Scope, parts: Pick<EngineParts, 'workflows' | 'metrics'>): Engine => {
  const traces = { read: async () => new Map(), hashOf: () => undefined } as never
  return new Engine({ db, runtime, traces, log: { warn: vi.fn() }, ...parts })
}

onEachDatabase('the engine', postgres => {
  test('a run that is stopped while its metrics are computed has the status that its scenarios say', async () => {
    const scope = await newScope(postgres())
    const id = await (await runsOver(scope, 2))()
    const asked: MetricsPlace[] = []
    const update: Metrics['update'] = async (_scope, places, signal) => {
      asked.push(...places)
      const isOfRun = places.some(({ scenario_id }) => scenario_id === undefined)
      if (isOfRun) await new Promise(resolve => signal?.addEventListener('abort', resolve))
    }
    const open = async () => ({ call: async ({ trace_id }: WorkflowCall) => succeeded(trace_id) })
    const engine = engineOf(scope, { workflows: { open }, metrics: { update } as Metrics })
    try {
      await vi.waitFor(() => expect(asked).toContainEqual({ run_id: id }), { timeout: 60_000 })
      expect(await stopRun(scope, id)).toMatchObject({ status: 'success', flags: { is_active: false } })
    } finally {
      await engine.stop()
    }
  })

  test('a run that is stopped when all its cells are there, and only metrics are missing, is not cancelled', async () => {
    const scope = await newScope(postgres())
    // More than one transaction cuts off.
    const cases = 600
    const id = await (await runsOver(scope, cases))()
    const asked = new Set<string>()
    const update: Metrics['update'] = async (_scope, places, signal) => {
      for (const { run_id, scenario_id } of places) if (run_id === id && scenario_id) asked.add(scenario_id)
      await new Promise(resolve => signal?.addEventListener('abort', resolve))
    }
    const open = async () => ({ call: async ({ trace_id }: WorkflowCall) => succeeded(trace_id) })
    const engine = engineOf(scope, { workflows: { open }, metrics: { update } as Metrics })
    try {
      // The metrics of the others wait for those of the first, which never come.
      await vi.waitFor(() => expect(asked.size).toBeGreaterThan(0), { timeout: 60_000 })
      await vi.waitFor(async () => expect(await statusesOf(scope, id, 'success')).toBe(cases), { timeout: 60_000 })
      expect((await findRow(scope, 'runs', id))?.status).toBe('running')
      expect(await stopRun(scope, id)).toMatchObject({ status: 'success', flags: { is_active: false } })
    } finally {
      await engine.stop()
    }
  })

  test('scenarios whose metrics were missing when their run was stopped have them after it was started again', async () => {
    const scope = await newScope(postgres())
    const id = await (await runsOver(scope, 2))()
    let isAway = true
    let calls = 0
    const asked = new Set<string>()
    const untilAborted = (signal?: AbortSignal) =>
      new Promise(resolve => signal?.addEventListener('abort', resolve)).then(() => signal?.throwIfAborted())
    const update: Metrics['update'] = async (inside, places, signal) => {
      const own = places.filter(({ run_id }) => run_id === id)
      for (const { scenario_id } of own) asked.add(scenario_id ?? id)
      if (isAway) await untilAborted(signal)
      await writeMetrics(
        inside,
        own.map(place => validate(newMetrics, place, 'body')),
      )
    }
    const call = async ({ trace_id }: WorkflowCall, signal: AbortSignal) => {
      if (isAway && calls++ > 0) await untilAborted(signal)
      return succeeded(trace_id)
    }
    const engine = engineOf(scope, { workflows: { open: async () => ({ call }) }, metrics: { update } as Metrics })
    try {
      await vi.waitFor(() => expect(asked.size).toBe(1), { timeout: 60_000 })
      expect(await stopRun(scope, id)).toMatchObject({ status: 'cancelled' })
      isAway = false
      await startRun(scope, id)
      await vi.waitFor(async () => expect((await findRow(scope, 'runs', id))?.status).toBe('success'), {
        timeout: 60_000,
      })
      const { rows } = await sql`select from evaluation_metrics where run_id = ${id}`.execute(scope.db)
      expect(rows).toHaveLength(3)
    } finally {
      await engine.stop()
    }
  })

  test('a run that is stopped while its cells are executed once more is cancelled', async () => {
    const scope = await newScope(postgres())
    const id = await (await runsOver(scope, 2))()
    let isSlow = false
    const call = async ({ trace_id }: WorkflowCall, signal: AbortSignal) => {
      if (isSlow) await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
      return succeeded(trace_id)
    }
    const engine = engineOf(scope, { workflows: { open: async () => ({ call }) } })
    try {
      await vi.waitFor(async () => expect((await findRow(scope, 'runs', id))?.status).toBe('success'), {
        timeout: 60_000,
      })
      isSlow = true
      await processSlice(scope, id, { overwrite: true })
      expect(await stopRun(scope, id)).toMatchObject({ status: 'cancelled', flags: { is_active: false } })
      expect(await statusesOf(scope, id, 'success')).toBe(2)
    } finally {
      await engine.stop()
    }
  })

  test('a database that is away for longer than a computation is repeated costs no metrics and no cells', async () => {
    const scope = await newScope(postgres())
    const id = await (await runsOver(scope, 2))()
    const refused = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    const failures = { open: 1, update: 4 }
    /** Of this run alone: the engine executes those of other tests as well. */
    const failAtFirst = (what: keyof typeof failures, project_id: string): void => {
      if (project_id === scope.project_id && failures[what]-- > 0) throw refused
    }
    const computed: MetricsPlace[] = []
    const update: Metrics['update'] = async (inside, places) => {
      failAtFirst('update', inside.project_id)
      const own = places.filter(({ run_id }) => run_id === id)
      computed.push(...own)
      await writeMetrics(
        inside,
        own.map(place => validate(newMetrics, place, 'body')),
      )
    }
    const open = async ({ project_id }: Owner) => {
      failAtFirst('open', project_id)
      return { call: async ({ trace_id }: WorkflowCall) => succeeded(trace_id) }
    }
    const engine = engineOf(scope, { workflows: { open }, metrics: { update } as Metrics })
    try {
      await vi.waitFor(async () => expect((await findRow(scope, 'runs', id))?.status).toBe('success'), {
        timeout: 60_000,
      })
      expect(computed.map(({ scenario_id }) => scenario_id !== undefined)).toEqual([true, true, false])
    } finally {
      await engine.stop()
    }
  })

  test('the runs of one project, however long, hold up no run of another', async () => {
    const [many, one] = [await newScope(postgres()), await newScope(postgres())]
    const newRun = await runsOver(many, 100)
    for (let n = 0; n < 40; n++) await newRun()
    const called = new Set<string>()
    const traces: string[] = []
    const call = async ({ trace_id, references }: any) => {
      called.add(references.application_revision.id)
      traces.push(trace_id)
      await new Promise(resolve => setTimeout(resolve, 1_000))
      return succeeded(trace_id)
    }
    const engine = engineOf(many, { workflows: { open: async () => ({ call }) } })
    try {
      await vi.waitFor(() => expect(called.size).toBe(32), { timeout: 60_000 })
      const id = await (await runsOver(one, 2))()
      await vi.waitFor(async () => expect((await findRow(one, 'runs', id))?.status).toBe('success'), {
        timeout: 60_000,
      })
      // The others of the first project have their turn as well.
      await vi.waitFor(() => expect(called.size).toBe(41), { timeout: 60_000 })
      expect(new Set(traces).size).toBe(traces.length)
    } finally {
      await engine.stop()
    }
  })
})
