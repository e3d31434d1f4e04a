import { newId } from '@spanhouse/postgres'
import { onEachDatabase } from '@spanhouse/postgres/database.testing.ts'
import { createSimple, KINDS } from '@spanhouse/registry'
import { validate } from '@spanhouse/validation'
import { expect, test, vi } from 'vitest'
import { createEvaluation, Engine, type EngineParts, findRow, newEvaluation, type Scope } from '../index.ts'
import { newScope } from '../scope.testing.ts'
import { registryScope } from '../scope.ts'

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
      const traced = { place: { trace_id, span_id: trace_id.slice(16) }, outputs: 1, trace: {} }
      return { status: { code: 200, message: 'Success' }, traced, recorded: Promise.resolve() }
    }
    const stored = { read: async () => new Map(), hashOf: () => undefined } as never
    const { db, runtime } = many
    const workflows = { open: async () => ({ call }) }
    const engine = new Engine({ db, runtime, workflows, traces: stored, log: { warn: vi.fn() } } as EngineParts)
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
})
