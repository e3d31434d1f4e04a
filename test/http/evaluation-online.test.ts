import { randomBytes, randomUUID } from 'node:crypto'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { call, eventually, newProject, type TestProject } from '../harness.ts'
import { exportOf, newTraceId, type OtlpSpan, otlpSpan } from '../otlp.ts'
import { slugOf } from '../registry-client.ts'

const { apiUrl, adminKey } = inject('target')
let project: TestProject
const post = (path: string, body: object) => project.posted(path, body)

let evaluator: string
beforeAll(async () => {
  project = await newProject()
  const data = { uri: 'agenta:custom:mock:v0', parameters: { key: 'pass' } }
  evaluator = (await post('/simple/evaluators/', { evaluator: { slug: slugOf('judge'), data } })).evaluator.revision_id
})

const INVOCATIONS = { field: 'trace_type', operator: 'is', value: 'invocation' }

/** A live run over the traces of one name. */
async function liveRun(name: string, windowing: object = {}): Promise<string> {
  const conditions = [INVOCATIONS, { field: 'span_name', operator: 'is', value: name }]
  const data = { filtering: { operator: 'and', conditions }, windowing }
  const { query } = await post('/simple/queries/', { query: { slug: slugOf('live'), data } })
  const { evaluation } = await post('/simple/evaluations/', {
    evaluation: {
      flags: { is_live: true },
      data: { query_steps: [query.revision_id], evaluator_steps: { [evaluator]: 'auto' } },
    },
  })
  expect(evaluation).toMatchObject({ flags: { is_live: true, is_active: true } })
  return evaluation.id
}
const rootOf = (name: string, traceId = newTraceId()): OtlpSpan => {
  const now = BigInt(Date.now()) * 1_000_000n
  const times = { startTimeUnixNano: String(now), endTimeUnixNano: String(now + 1_000_000n) }
  return otlpSpan({ traceId, name, ...times }, { 'ag.data.inputs.q': 'x', 'ag.data.outputs': 'y' })
}
const cellsOf = async (run_id: string): Promise<any[]> =>
  (await post('/evaluations/results/query', { result: { run_id } })).results
const hex = (id: string): string => id.replaceAll('-', '')
/** The traces that a run has taken up: those of its input cells. */
const sourcesOf = async (run_id: string): Promise<string[]> =>
  (await cellsOf(run_id)).flatMap(({ step_key, trace_id }) => (step_key.startsWith('query-') ? [hex(trace_id)] : []))
const explained = async (run_id: string, trace_id: string): Promise<any> =>
  (await project.get(`/api/evaluations/runs/${run_id}/explain?trace_id=${trace_id}`)).body.explanation

describe('online evaluation', () => {
  test('each trace that matches is evaluated once, seconds after it was accepted; others are not, and why', async () => {
    const name = `chat-${randomUUID()}`
    const before = rootOf(name)
    await project.store(before)
    const run_id = await liveRun(name)
    const roots = [rootOf(name), rootOf(name), rootOf(name)]
    const other = rootOf(`${name}-other`)
    const child = otlpSpan({ traceId: other.traceId, parentSpanId: other.spanId, name })
    const accepted = Date.now()
    await project.export(exportOf(...roots, other, child))
    const cells = await eventually(async () => {
      const found = (await cellsOf(run_id)).filter(({ step_key }) => step_key.startsWith('evaluator-'))
      return found.length === 3 && found.every(({ status }) => status === 'success') ? found : undefined
    })
    console.log(`evaluated ${Date.now() - accepted} ms after they were sent`)
    expect(cells.every(({ interval, timestamp }) => interval === 1 && timestamp.endsWith(':00Z'))).toBe(true)
    expect((await sourcesOf(run_id)).sort()).toEqual(roots.map(({ traceId }) => traceId).sort())
    // Sent again, and changed, they are the same traces; the annotations are no invocations.
    await project.export(exportOf(...roots.map(root => ({ ...root, endTimeUnixNano: `${root.endTimeUnixNano}0` }))))
    const last = rootOf(name)
    await project.export(exportOf(last))
    await eventually(async () => (await sourcesOf(run_id)).includes(last.traceId))
    expect((await sourcesOf(run_id)).length).toBe(4)
    const { run } = (await project.get(`/api/evaluations/runs/${run_id}`)).body
    expect(run).toMatchObject({ status: 'running', flags: { is_active: true } })

    const judged = await explained(run_id, roots[0]?.traceId as string)
    expect(judged).toMatchObject({ reason: 'evaluated', scenario_id: expect.any(String) })
    expect(judged.evaluators).toEqual([
      { step_key: expect.stringMatching(/^evaluator-/), origin: 'auto', statuses: ['success'] },
    ])
    const unmet = [{ field: 'span_name', operator: 'is', value: name }]
    expect(await explained(run_id, other.traceId)).toMatchObject({ reason: 'no_match', queries: [{ unmet }] })
    expect(await explained(run_id, before.traceId)).toMatchObject({ reason: 'before_start' })
    expect(await explained(run_id, newTraceId())).toMatchObject({ reason: 'no_root' })
    const annotation = hex(cells[0].trace_id)
    expect(await explained(run_id, annotation)).toMatchObject({ reason: 'no_match' })
  })

  test('a rate of half a percent keeps what its traces say; a stopped run takes up nothing', async () => {
    const name = `sampled-${randomUUID()}`
    const run_id = await liveRun(name, { rate: 0.005 })
    /** A trace id whose first 32 bits are so. */
    const idOf = (number: number): string => number.toString(16).padStart(8, '0') + randomBytes(12).toString('hex')
    // 0 modulo 100, in the lower and the upper half of all numbers; 1 modulo 100.
    const [kept, upper, second] = [idOf(100), idOf(4_000_000_000), idOf(101)]
    await project.export(exportOf(...[kept, upper, second].map(id => rootOf(name, id))))
    await eventually(async () => (await sourcesOf(run_id)).includes(kept))
    await eventually(async () => (await explained(run_id, upper)).reason === 'not_sampled')
    expect(await explained(run_id, second)).toMatchObject({
      reason: 'not_sampled',
      queries: [{ rate: 0.005, is_sampled: false, matches: true }],
    })
    expect(await sourcesOf(run_id)).toEqual([kept])
    await project.post(`/api/simple/evaluations/${run_id}/stop`, {})
    const late = rootOf(name, idOf(200))
    await project.store(late)
    expect(await explained(run_id, late.traceId)).toMatchObject({ reason: 'not_active' })
    await post(`/simple/evaluations/${run_id}/start`, {})
    const next = rootOf(name, idOf(300))
    await project.export(exportOf(next))
    await eventually(async () => (await sourcesOf(run_id)).includes(next.traceId))
    expect((await sourcesOf(run_id)).sort()).toEqual([kept, next.traceId].sort())

    const closed = await project.send('PATCH', `/api/evaluations/runs/${run_id}`, {
      run: { flags: { is_closed: true } },
    })
    expect(closed.body.run.flags).toMatchObject({ is_closed: true, is_active: false })
    await project.store(rootOf(name, idOf(400)))
    await post(`/evaluations/runs/${run_id}/open`, {})
    await post(`/simple/evaluations/${run_id}/start`, {})
    const last = rootOf(name, idOf(500))
    await project.export(exportOf(last))
    await eventually(async () => (await sourcesOf(run_id)).includes(last.traceId))
    expect((await sourcesOf(run_id)).sort()).toEqual([kept, next.traceId, last.traceId].sort())
  })

  test('a trace with many roots hides no other that is stored with it', async () => {
    const name = `broken-${randomUUID()}`
    const run_id = await liveRun(name)
    const broken = newTraceId()
    const earlier = { startTimeUnixNano: '1700000000000000000', endTimeUnixNano: '1700000000000000001' }
    const roots = Array.from({ length: 50 }, () => ({ ...rootOf(name, broken), ...earlier }))
    const others = [rootOf(name), rootOf(name)]
    await project.export(exportOf(...roots, ...others))
    const wanted = [broken, ...others.map(({ traceId }) => traceId)].sort()
    await eventually(async () => (await sourcesOf(run_id)).length >= 3).catch(() => undefined)
    expect((await sourcesOf(run_id)).sort()).toEqual(wanted)
  })

  test('a trace that is nested without end is evaluated, and holds up no other', async () => {
    const name = `deep-${randomUUID()}`
    const run_id = await liveRun(name)
    const root = rootOf(name)
    const deep = [root]
    for (let level = 1; level < 10_000; level++)
      deep.push(otlpSpan({ traceId: root.traceId, parentSpanId: deep.at(-1)?.spanId as string, name: 'step' }))
    await project.export(exportOf(...deep.slice(1)))
    await project.export(exportOf(root, rootOf(name)))
    const evaluated = async (): Promise<string[]> =>
      (await cellsOf(run_id)).flatMap(({ step_key, status }) => (step_key.startsWith('evaluator-') ? [status] : []))
    await eventually(async () => (await evaluated()).length === 2)
    expect(await evaluated()).toEqual(['success', 'success'])
  })

  test('the hook of a scheduler asks for a look', async () => {
    const hook = (query: string, key = adminKey) =>
      call(apiUrl, 'POST', `/api/admin/evaluations/runs/refresh${query}`, `Access ${key}`)
    expect((await hook('?trigger_interval=1&trigger_datetime=2026-02-03T09:00:00Z')).body).toEqual({
      status: 'success',
    })
    expect((await hook('?trigger_interval=1')).body).toEqual({ status: 'error' })
    expect((await hook('?trigger_interval=61&trigger_datetime=2026-02-03T09:00:00Z')).status).toBe(422)
    expect((await hook('', 'x'.repeat(30))).status).toBe(401)
  })
})
