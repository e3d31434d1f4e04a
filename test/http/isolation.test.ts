import { beforeAll, describe, expect, inject, test } from 'vitest'
import { call, eventually, newProject, type TestProject } from '../harness.ts'
import { exportOf, newSpanId, newTraceId, type OtlpSpan, otlpSpan } from '../otlp.ts'

/**
 * Two projects hold traces with the same trace ids and span ids, whose spans differ in everything else; `theirs` holds
 * more of them. No request to `mine` may return anything of `theirs`.
 */
let mine: TestProject
let theirs: TestProject
let empty: TestProject

const traceIds = [newTraceId(), newTraceId()] as const
const onlyTheirs = newTraceId()
const [rootId, childId, extraId] = [newSpanId(), newSpanId(), newSpanId()]

function trace(traceId: string, owner: string, amount: number): [OtlpSpan, OtlpSpan] {
  const attributes = {
    owner,
    [`key of ${owner}`]: 'x',
    'ag.data.inputs.secret': `secret of ${owner}`,
    'ag.session.id': `session of ${owner}`,
    'ag.refs.application.slug': owner,
    'ag.metrics.unit.tokens.total': amount,
  }
  return [
    // Other values than its child: equal ones would count as the same usage reported twice.
    otlpSpan(
      { traceId, spanId: rootId, name: `root of ${owner}` },
      { ...attributes, 'ag.metrics.unit.tokens.total': 3 * amount },
    ),
    otlpSpan({ traceId, spanId: childId, parentSpanId: rootId, name: `child of ${owner}` }, attributes),
  ]
}

beforeAll(async () => {
  ;[mine, theirs, empty] = await Promise.all([newProject(), newProject(), newProject()])
  const extra = otlpSpan(
    { traceId: traceIds[0], spanId: extraId, parentSpanId: rootId, name: 'extra of theirs' },
    { owner: 'theirs', 'ag.metrics.unit.tokens.total': 1000 },
  )
  const link = { traceId: traceIds[0], spanId: rootId, attributes: [{ key: 'key', value: { stringValue: 'x' } }] }
  const judge = { ...trace(traceIds[1], 'theirs', 100)[0], links: [link] }
  await Promise.all([
    mine.store(...traceIds.flatMap(id => trace(id, 'mine', 1))),
    theirs.store(...trace(traceIds[0], 'theirs', 100), extra, judge, ...trace(onlyTheirs, 'theirs', 100)),
  ])
})

const reads = (project: TestProject): [string, () => Promise<any>][] => {
  const ids = [...traceIds, onlyTheirs]
  const spans = [rootId, childId, extraId]
  const everything = [
    {},
    { windowing: { order: 'ascending', limit: 1000 } },
    { filtering: { conditions: [{ field: 'trace_id', operator: 'in', value: ids }] } },
    { filtering: { conditions: [{ field: 'trace_id', operator: 'is', value: ids[0] }] } },
    { filtering: { conditions: [{ field: 'span_id', operator: 'in', value: spans }] } },
    { filtering: { operator: 'not', conditions: [{ field: 'span_name', value: 'nobody' }] } },
    { filtering: { operator: 'or', conditions: [{ field: 'attributes', key: 'owner', value: 'theirs' }] } },
    {
      filtering: {
        operator: 'or',
        conditions: [
          { field: 'attributes', key: 'owner', operator: 'exists' },
          { field: 'attributes', key: 'owner', operator: 'not_exists' },
        ],
      },
    },
    { filtering: { conditions: [{ field: 'content', operator: 'contains', value: 'secret' }] } },
    { filtering: { conditions: [{ field: 'references', operator: 'not_in', value: [{ slug: 'nobody' }] }] } },
    { filtering: { operator: 'nor', conditions: [{ field: 'attributes', key: 'owner', value: 'mine' }] } },
  ]
  return [
    ...ids.map((id): [string, () => Promise<any>] => [`GET /traces/${id}`, () => project.get(`/api/traces/${id}`)]),
    ['GET /traces/', () => project.get(`/api/traces/?trace_ids=${ids.join()}`)],
    ...ids.flatMap(id =>
      spans.map((span): [string, () => Promise<any>] => [
        `GET /spans/${id}/${span}`,
        () => project.get(`/api/spans/${id}/${span}`),
      ]),
    ),
    ['GET /spans/ by traces', () => project.get(`/api/spans/?trace_ids=${ids.join()}`)],
    ['GET /spans/ by spans', () => project.get(`/api/spans/?span_ids=${spans.join()}`)],
    ['GET /spans/ with a parameter', () => project.get(`/api/spans/?span_ids=${spans}&project_id=${theirs.projectId}`)],
    ...everything.flatMap((body): [string, () => Promise<any>][] =>
      ['spans', 'traces'].map(family => [
        `POST /${family}/query ${JSON.stringify(body)}`,
        () => project.post(`/api/${family}/query`, body),
      ]),
    ),
  ]
}

describe('nothing of another project is in the answer to', () => {
  test('any way to read', async () => {
    for (const [name, read] of reads(mine)) {
      const { status, text } = await read()
      expect(status, name).toBe(200)
      // The ids asked for may be repeated, what is stored under them may not be there.
      expect(text, name).not.toContain('theirs')
    }
  })

  test('any way to read a project without spans', async () => {
    for (const [name, read] of reads(empty)) expect((await read()).body, name).toMatchObject({ count: 0 })
  })
})

test('the other one sees all that is its own', async () => {
  const { body } = await theirs.post('/api/spans/query')
  expect(body.count).toBe(6)
  for (const span of body.spans) expect(span.span_name).toContain('theirs')
  expect((await theirs.get(`/api/traces/?trace_ids=${[...traceIds, onlyTheirs].join()}`)).body.count).toBe(3)
})

test('totals, types and trees are those of one project', async () => {
  const total = (node: any): number => node.attributes.ag.metrics.tokens.cumulative.total
  const rootOf = async (project: TestProject, id: string): Promise<any> =>
    Object.values((await project.get(`/api/traces/${id}`)).body.trace.spans)[0]
  await eventually(async () => total(await rootOf(theirs, traceIds[0])) === 1400, 5000)
  const root = await rootOf(mine, traceIds[0])
  expect(total(root)).toBe(4)
  expect(Object.keys(root.spans)).toEqual(['child of mine'])
  expect((await rootOf(mine, traceIds[1])).trace_type).toBe('invocation')
  expect((await rootOf(theirs, traceIds[1])).trace_type).toBe('annotation')
})

test('what one project sends again does not change the other', async () => {
  const before = (await mine.get(`/api/spans/${traceIds[1]}/${rootId}`)).text
  await theirs.export(exportOf(otlpSpan({ traceId: traceIds[1], spanId: rootId, name: 'again of theirs' })))
  await eventually(async () => (await theirs.get(`/api/spans/${traceIds[1]}/${rootId}`)).text.includes('again'))
  expect((await mine.get(`/api/spans/${traceIds[1]}/${rootId}`)).text).toBe(before)
})

test('keys of two projects, used in turn on one connection, are never mixed up', async () => {
  const { apiUrl } = inject('target')
  const answers = await Promise.all(
    Array.from({ length: 40 }, async (_, turn) => {
      const project = [mine, theirs, empty][turn % 3] as TestProject
      const ask = () => call(apiUrl, 'POST', '/api/spans/query', `ApiKey ${project.apiKey}`, {})
      // On a busy machine one of so many may wait for too long.
      const { body } = await eventually(() => ask().then(answer => (answer.status === 503 ? undefined : answer)))
      return [turn % 3, body.spans.map((span: any) => span.attributes.owner ?? 'theirs')] as const
    }),
  )
  for (const [turn, owners] of answers)
    expect(new Set(owners)).toEqual(new Set(turn === 0 ? ['mine'] : turn === 1 ? ['theirs'] : []))
})
