import { type Micros, microsNow } from '@spanhouse/model'
import { newId } from '@spanhouse/postgres'
import { onEachDatabase } from '@spanhouse/postgres/database.testing.ts'
import type { Engine } from '@spanhouse/span-store'
import { validate } from '@spanhouse/validation'
import { expect, test } from 'vitest'
import { createRuns, newRun, type Scope } from '../index.ts'
import { newScope } from '../scope.testing.ts'
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
    const online = new Online({
      postgres: {
        db: postgres().db,
        lease: async name => ({ name, lost: new AbortController().signal, release: async () => {} }),
      },
      runtime: (scopes[0] as Scope).runtime,
      engine: {
        rows: async ({ params }: { params: { project_id: string } }) => {
          read.push(params.project_id)
          if (params.project_id === first) throw new Error('Its query takes too long.')
          return []
        },
      } as unknown as Engine,
      stream: { stats: async () => ({ depth: 0, oldestSeconds: 0 }) },
      dispatcher: { start: () => {} },
      log: { warn: () => {} },
    })
    const wentWell = await online.lookNow()
    await online.stop()
    expect(wentWell).toBe(false)
    expect(read).toContain(second)
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
})
