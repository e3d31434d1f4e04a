import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { newProject } from '../harness.ts'
import { newTraceId, otlpSpan } from '../otlp.ts'

const project = await newProject()
const post = project.posted

const START = BigInt(Date.parse('2026-02-03T09:00:00Z')) * 1_000_000n
const at = (second: number) => ({
  startTimeUnixNano: String(START + BigInt(second) * 1_000_000_000n),
  endTimeUnixNano: String(START + BigInt(second + 1) * 1_000_000_000n),
})

/** Six traces a second apart, each of a root and a child; the odd ones have children that are marked. */
const traces = Array.from({ length: 6 }, (_, n) => {
  const traceId = newTraceId()
  const root = otlpSpan({ traceId, name: `root-${n}`, ...at(n) })
  const child = otlpSpan({ traceId, parentSpanId: root.spanId, name: n % 2 === 1 ? 'odd' : 'even', ...at(n) })
  return { traceId, root, child }
})
await project.store(...traces.flatMap(({ root, child }) => [root, child]))
const idOf = (n: number): string => traces[n]?.traceId as string

const ODD = { conditions: [{ field: 'span_name', value: 'odd' }] }
const slugOf = (): string => `q-${randomUUID().slice(0, 8)}`
async function saved(data: object): Promise<any> {
  const slug = slugOf()
  const { query } = await post('/simple/queries/', { query: { slug, data } })
  return {
    query_ref: { slug },
    query_variant_ref: { id: query.variant_id },
    query_revision_ref: { id: query.revision_id },
  }
}

const traceIds = async (body: object): Promise<string[]> =>
  (await post('/traces/query', body)).traces.map((trace: any) => trace.trace_id)
const spanNames = async (body: object): Promise<string[]> =>
  (await post('/spans/query', body)).spans.map((span: any) => span.span_name)

test('a saved query is used by each kind of reference, and the filter of the request is not', async () => {
  const references = await saved({ filtering: ODD })
  const ignored = { filtering: { conditions: [{ field: 'span_name', value: 'even' }] } }
  for (const [name, reference] of Object.entries(references)) {
    expect(await traceIds({ [name]: reference, ...ignored })).toEqual([5, 3, 1].map(idOf))
    expect(await spanNames({ [name]: reference })).toEqual(['odd', 'odd', 'odd'])
  }
  expect(await traceIds(references)).toEqual([5, 3, 1].map(idOf))
  const { query_ref } = references
  expect(await traceIds({ query_ref, query_revision_ref: { version: '1' } })).toEqual([5, 3, 1].map(idOf))
  const newest = '2026-02-03T09:00:04Z'
  expect(await traceIds({ query_ref, windowing: { newest, order: 'ascending' } })).toEqual([1, 3].map(idOf))
  expect(await traceIds({ query_ref, newest })).toEqual([3, 1].map(idOf))
})

test('of the request, a saved window lets only limit and cursor through', async () => {
  const windowing = { newest: '2026-02-03T09:00:05Z', oldest: '2026-02-03T09:00:01Z', limit: 3, order: 'descending' }
  const { query_ref } = await saved({ windowing })
  expect(await traceIds({ query_ref })).toEqual([4, 3, 2].map(idOf))
  const other = { newest: '2026-02-03T09:00:03Z', oldest: null, order: 'ascending' }
  expect(await traceIds({ query_ref, windowing: other })).toEqual([4, 3, 2].map(idOf))
  expect(await traceIds({ query_ref, windowing: { ...other, limit: 1 } })).toEqual([idOf(4)])
  expect(await traceIds({ query_ref, limit: 50 })).toEqual([4, 3, 2, 1].map(idOf))
  for (const limit of [1, 2, 3]) {
    const seen: string[] = []
    for (let next: object | undefined = { limit }; next; ) {
      const body = await post('/traces/query', { query_ref, windowing: next })
      seen.push(...body.traces.map((trace: any) => trace.trace_id))
      next = body.windowing
    }
    expect(seen).toEqual([4, 3, 2, 1].map(idOf))
  }
})

test('the focus it was saved for', async () => {
  const forSpans = await saved({ filtering: ODD, formatting: { focus: 'span' } })
  const forTraces = await saved({ filtering: ODD, formatting: { focus: 'trace', format: 'agenta' } })
  expect(await spanNames({ query_ref: forSpans.query_ref })).toHaveLength(3)
  expect(await traceIds({ query_ref: forTraces.query_ref })).toHaveLength(3)
  for (const [path, { query_ref }] of [
    ['/api/traces/query', forSpans],
    ['/api/spans/query', forTraces],
  ] as const)
    expect(await project.post(path, { query_ref })).toMatchObject({ status: 409, body: { detail: expect.any(String) } })
})

test('what leads nowhere finds nothing, what makes no sense is refused', async () => {
  const { query } = await post('/queries/', { query: { slug: slugOf() } })
  const empty = await saved({})
  const references = await saved({ filtering: ODD })
  const nowhere = [{ query_ref: { slug: 'none' } }, { query_ref: { id: query.id } }, { query_ref: {} }, empty]
  for (const body of nowhere) {
    expect(await post('/traces/query', body)).toEqual({ count: 0, traces: [] })
    expect(await post('/spans/query', body)).toEqual({ count: 0, spans: [] })
  }
  const { query_ref } = references
  for (const [body, status] of [
    [{ query_revision_ref: { version: '1' } }, 400],
    [{ query_variant_ref: { version: '1' } }, 400],
    [{ query_ref: { slug: 'none' }, windowing: { limit: 'x' } }, 422],
    [{ query_ref: { slug: 'none' }, order: 'up' }, 422],
    [{ query_ref: { version: '1' } }, 400],
    [{ query_ref, query_variant_ref: { id: empty.query_variant_ref.id } }, 400],
    [{ query_ref: { slug: query_ref.slug, id: query.id } }, 200],
    [{ query_ref: { id: 'x' } }, 422],
    [{ query_ref: { slug: 'a b' } }, 422],
    [{ query_ref: 'x' }, 422],
    [{ query_revision_ref: { version: 1 } }, 422],
    [{ query_ref, windowing: { limit: 'many' } }, 422],
  ] as const)
    for (const path of ['/api/traces/query', '/api/spans/query'])
      expect((await project.post(path, body)).status, JSON.stringify(body)).toBe(status)
  const other = await newProject()
  expect((await other.post('/api/traces/query', { query_ref })).body).toEqual({ count: 0, traces: [] })
})

test('the newest revision counts, and a named one stays what it was', async () => {
  const references = await saved({ filtering: ODD })
  const query_revision = {
    query_variant_id: references.query_variant_ref.id,
    data: { filtering: { conditions: [{ field: 'span_name', value: 'root-0' }] } },
  }
  await post('/queries/revisions/commit', { query_revision })
  expect(await traceIds({ query_ref: references.query_ref })).toEqual([idOf(0)])
  expect(await traceIds({ query_revision_ref: references.query_revision_ref })).toEqual([5, 3, 1].map(idOf))
})

test('a query that is retrieved can come with what it finds', async () => {
  const { query_ref } = await saved({ filtering: ODD, windowing: { limit: 2 } })
  const retrieve = async (more: object): Promise<any> =>
    (await post('/queries/revisions/retrieve', { query_ref, ...more })).query_revision.data
  const data = { filtering: ODD, windowing: { limit: 2 } }
  expect(await retrieve({})).toEqual(data)
  expect(await retrieve({ include_trace_ids: true })).toEqual({ ...data, trace_ids: [5, 3].map(idOf) })
  const full = await retrieve({ include_traces: true, windowing: { limit: 1, oldest: '2027-01-01T00:00:00Z' } })
  expect(full).toMatchObject({ ...data, trace_ids: [idOf(5)], traces: [{ trace_id: idOf(5) }] })
  const { root, child } = traces[5] as (typeof traces)[number]
  expect(Object.keys(full.traces[0].spans).toSorted()).toEqual([root.spanId, child.spanId].toSorted())
  expect(full.traces[0].spans[child.spanId]).toMatchObject({ span_name: 'odd', trace_id: idOf(5) })

  const ofSpans = await saved({ filtering: ODD, formatting: { focus: 'span' } })
  const { query_revision } = await post('/queries/revisions/retrieve', { ...ofSpans, include_traces: true })
  expect(query_revision.data.trace_ids).toEqual([5, 3, 1].map(idOf))
  expect(query_revision.data.traces.map((trace: any) => Object.keys(trace.spans).length)).toEqual([1, 1, 1])

  const empty = await saved({})
  const nothing = await post('/queries/revisions/retrieve', { ...empty, include_traces: true })
  expect(nothing.query_revision).not.toHaveProperty('data')
  const sent = { ...data, trace_ids: ['x'], traces: [] }
  const kept = await saved(sent)
  expect((await post('/queries/revisions/retrieve', kept)).query_revision.data).toEqual(data)
})

test.each<[string, object, number]>([
  ['a filter of the wrong shape', { filtering: { conditions: {} } }, 422],
  ['an unknown operator', { filtering: { conditions: [{ field: 'span_name', operator: 'x', value: 1 }] } }, 422],
  ['an unknown member', { filter: {} }, 422],
  ['an unknown focus', { formatting: { focus: 'x' } }, 422],
  ['an unknown field', { filtering: { conditions: [{ field: 'x', value: 1 }] } }, 400],
])('%s cannot be saved', async (_name, data, status) => {
  const answer = await project.post('/api/simple/queries/', { query: { slug: slugOf(), data } })
  expect(answer.status, answer.text).toBe(status)
})
