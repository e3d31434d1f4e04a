import { newId } from '@spanhouse/postgres'
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
  type Scope,
  stopRun,
  type Workflow,
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

const succeeded = (trace_id: string): CallResult => ({
  status: { code: 200, message: 'Success' },
  traced: { place: { trace_id, span_id: trace_id.slice(16) }, outputs: 1, trace: {} },
  recorded: Promise.resolve(),
})

/** An engine that calls this instead of applications, over no stored traces. */
const engineOf = ({ db, runtime }: Scope, { call, metrics }: { call: Workflow['call']; metrics?: Metrics }): Engine => {
  const traces = { read: async () => new Map(), hashOf: () => undefined } as never
  const workflows = { open: async () => ({ call }) }
  return new Engine({ db, runtime, workflows, traces, metrics, log: { warn: vi.fn() } } as EngineParts)
}

onEachDatabase('the engine', postgres => {
  test('the runs of one project, however long, hold up no run of another', { timeout: 60_000 }, async () => {
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
    const engine = engineOf(many, { call })
    try {
      await vi.waitFor(() => expect(called.size).toBe(32), { timeout: 20_000 })
      const id = await (await runsOver(one, 2))()
      await vi.waitFor(async () => expect((await findRow(one, 'runs', id))?.status).toBe('success'), {
        timeout: 30_000,
      })
      // The others of the first project have their turn as well.
      await vi.waitFor(() => expect(called.size).toBe(41), { timeout: 20_000 })
      expect(new Set(traces).size).toBe(traces.length)
    } finally {
      await engine.stop()
    }
  })

  test('a run that is stopped while its metrics are computed has the status that its scenarios say', async () => {
    const scope = await newScope(postgres())
    const id = await (await runsOver(scope, 2))()
    const asked: MetricsPlace[] = []
    const update: Metrics['update'] = async (_scope, places, signal) => {
      asked.push(...places)
      const isOfRun = places.some(({ scenario_id }) => scenario_id === undefined)
      if (isOfRun) await new Promise(resolve => signal?.addEventListener('abort', resolve))
    }
    const engine = engineOf(scope, {
      call: async ({ trace_id }) => succeeded(trace_id),
      metrics: { update } as Metrics,
    })
    try {
      await vi.waitFor(() => expect(asked).toContainEqual({ run_id: id }), { timeout: 20_000 })
      expect(await stopRun(scope, id)).toMatchObject({ status: 'success', flags: { is_active: false } })
    } finally {
      await engine.stop()
    }
  })
})
