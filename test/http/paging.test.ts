import { expect, test } from 'vitest'
import { newProject, type TestProject } from '../harness.ts'
import { exportOf, newSpanId, newTraceId, type OtlpSpan, otlpSpan } from '../otlp.ts'

const NINE = BigInt(Date.parse('2026-02-03T09:00:00Z')) * 1_000_000n

/** A root and its child, both somewhere in the same ten milliseconds, so that many start together. */
function newTrace(spanIds = [newSpanId(), newSpanId()]): OtlpSpan[] {
  const traceId = newTraceId()
  const start = (): Partial<OtlpSpan> => ({
    startTimeUnixNano: String(NINE + BigInt(Math.floor(Math.random() * 10)) * 1_000_000n),
    endTimeUnixNano: String(NINE + 1_000_000_000n),
  })
  const [root, child] = spanIds as [string, string]
  return [
    otlpSpan({ traceId, spanId: root, name: 'root', ...start() }),
    otlpSpan({ traceId, spanId: child, parentSpanId: root, name: 'child', ...start() }),
  ]
}

/** Asks for page after page by sending back what each says, until one is not full. Calls `between` before each. */
async function readAll(
  project: TestProject,
  family: 'spans' | 'traces',
  first: object,
  between: () => unknown = () => {},
): Promise<any[]> {
  const rows: any[] = []
  for (let windowing: any = first; windowing; ) {
    between()
    const { status, body } = await project.post(`/api/${family}/query`, { windowing })
    expect(status).toBe(200)
    rows.push(...body[family])
    if (body.windowing) expect(body[family].length).toBe(windowing.limit)
    windowing = body.windowing
    if (rows.length > 10_000) throw new Error('the pages do not end')
  }
  return rows
}

const spanKey = (span: any): string => `${span.trace_id}/${span.span_id}`
const traceKey = (trace: any): string => trace.trace_id

test.each([
  ['descending', 7],
  ['ascending', 7],
  ['descending', 1],
])('each row is visited once in %s pages of %i, in one order', async (order, limit) => {
  const project = await newProject()
  // All traces use the same span ids.
  const ids = [newSpanId(), newSpanId()]
  const spans = Array.from({ length: 15 }, () => newTrace(ids)).flat()
  await project.store(...spans.filter(span => span.name === 'root'))
  await project.export(exportOf(...spans))
  const wanted = new Set(spans.map(span => `${span.traceId}/${span.spanId}`))
  await expect.poll(async () => (await project.post('/api/spans/query')).body.count).toBe(wanted.size)

  const visited = await readAll(project, 'spans', { order, limit })
  expect(visited.map(spanKey).toSorted()).toEqual([...wanted].sort())
  const times = visited.map(span => span.start_time)
  const sign = order === 'ascending' ? 1 : -1
  expect(times).toEqual(times.toSorted((one, other) => sign * (Date.parse(one) - Date.parse(other))))

  const traces = await readAll(project, 'traces', { order, limit })
  expect(traces.map(traceKey).toSorted()).toEqual([...new Set(spans.map(span => span.traceId))].sort())
})

test('each row is visited once while others are being stored', async () => {
  const project = await newProject()
  const spans = Array.from({ length: 36 }, () => newTrace()).flat()
  await project.store(...spans)
  for (const order of ['descending', 'ascending'] as const) {
    const exports: Promise<unknown>[] = []
    // New traces, late children, which change the totals of rows that are there, and changed versions of rows.
    const disturb = (): void => {
      const some = (): OtlpSpan => spans[Math.floor(Math.random() * spans.length)] as OtlpSpan
      const { traceId, spanId } = some()
      const late = otlpSpan({ traceId, parentSpanId: spanId, name: 'late' }, { 'ag.metrics.unit.tokens.total': 1 })
      const changed = { ...some(), attributes: [{ key: 'n', value: { intValue: exports.length } }] }
      exports.push(project.export(exportOf(...newTrace(), ...newTrace(), late, changed)))
    }
    const visited = (await readAll(project, 'spans', { order, limit: 9 }, disturb)).map(spanKey)
    expect(new Set(visited).size).toBe(visited.length)
    expect(spans.filter(span => !visited.includes(`${span.traceId}/${span.spanId}`))).toEqual([])

    const traces = (await readAll(project, 'traces', { order, limit: 5 }, disturb)).map(traceKey)
    expect(new Set(traces).size).toBe(traces.length)
    expect(spans.filter(span => !traces.includes(span.traceId))).toEqual([])
    await Promise.all(exports)
  }
})

test('pages keep to the filter and the other bound', async () => {
  const project = await newProject()
  const spans = Array.from({ length: 20 }, () => newTrace()).flat()
  await project.store(...spans)
  const filtering = { conditions: [{ field: 'span_name', value: 'child' }] }
  const found: string[] = []
  let windowing: any = { limit: 6, oldest: '2026-02-03T09:00:00.003Z' }
  while (windowing) {
    const { body } = await project.post('/api/spans/query', { filtering, windowing })
    found.push(...body.spans.map(spanKey))
    windowing = body.windowing
  }
  const wanted = spans.filter(
    span => span.name === 'child' && BigInt(span.startTimeUnixNano as string) >= NINE + 3_000_000n,
  )
  expect(found.toSorted()).toEqual(wanted.map(span => `${span.traceId}/${span.spanId}`).sort())
})

test('traces without a root yet do not shorten a page', async () => {
  const project = await newProject()
  const whole = Array.from({ length: 6 }, () => newTrace()).flat()
  const rootless = Array.from({ length: 6 }, () => newTrace()[1] as OtlpSpan)
  await project.store(...whole, ...rootless)
  const { body } = await project.post('/api/traces/query', { windowing: { limit: 6 } })
  expect(body.count).toBe(6)
  const traces = await readAll(project, 'traces', { limit: 4 })
  expect(traces.map(traceKey).toSorted()).toEqual([...new Set(whole.map(span => span.traceId))].sort())
})
