import { beforeAll, describe, expect, test } from 'vitest'
import { newProject, type TestProject } from '../harness.ts'
import { dashed, newTraceId, type OtlpSpan, otlpSpan } from '../otlp.ts'

const NINE = Date.parse('2026-02-03T09:00:00Z')
const iso = (second: number): string => new Date(NINE + second * 1000).toISOString()

/** A span named by the second after nine at which it starts. */
const at = (second: number, span: Partial<OtlpSpan> = {}): OtlpSpan =>
  otlpSpan({
    traceId: newTraceId(),
    name: String(second),
    startTimeUnixNano: `${NINE + second * 1000}000000`,
    endTimeUnixNano: `${NINE + second * 1000 + 500}000000`,
    ...span,
  })

describe('spans', () => {
  let project: TestProject
  // Two start in the same microsecond: their ids decide.
  const twins = [at(3, { name: '3a', spanId: '00000000000000a1' }), at(3, { name: '3b', spanId: '00000000000000b1' })]

  beforeAll(async () => {
    project = await newProject()
    await project.store(...[0, 1, 2, 4, 5].map(second => at(second)), ...twins)
  })

  const ask = async (body: object): Promise<{ names: string; windowing: any }> => {
    const answer = await project.post('/api/spans/query', body)
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body.count).toBe(answer.body.spans.length)
    const names = answer.body.spans.map((span: any) => span.span_name).join(' ')
    return { names, windowing: answer.body.windowing }
  }

  const ROWS: [windowing: object, names: string][] = [
    [{}, '5 4 3b 3a 2 1 0'],
    [{ order: 'descending' }, '5 4 3b 3a 2 1 0'],
    [{ order: 'ascending' }, '0 1 2 3a 3b 4 5'],
    [{ limit: 2 }, '5 4'],
    [{ limit: 2, order: 'ascending' }, '0 1'],
    [{ limit: 0 }, '5'],
    [{ limit: -7 }, '5'],
    [{ limit: 100 }, '5 4 3b 3a 2 1 0'],
    // Descending: newest is exclusive, oldest inclusive.
    [{ newest: iso(4) }, '3b 3a 2 1 0'],
    [{ oldest: iso(4) }, '5 4'],
    [{ oldest: iso(1), newest: iso(4) }, '3b 3a 2 1'],
    [{ oldest: iso(1), newest: iso(4), limit: 1 }, '3b'],
    [{ oldest: iso(4), newest: iso(1) }, ''],
    [{ oldest: iso(2), newest: iso(2) }, ''],
    // Ascending: newest is inclusive, oldest exclusive.
    [{ newest: iso(4), order: 'ascending' }, '0 1 2 3a 3b 4'],
    [{ oldest: iso(1), order: 'ascending' }, '2 3a 3b 4 5'],
    [{ oldest: iso(1), newest: iso(4), order: 'ascending' }, '2 3a 3b 4'],
    // The last row of the page before, as span id or as that twice.
    [{ newest: iso(3), next: '00000000000000b1' }, '3a 2 1 0'],
    [{ newest: iso(3), next: dashed('00000000000000b100000000000000b1') }, '3a 2 1 0'],
    [{ newest: iso(3), next: '00000000000000B100000000000000B1' }, '3a 2 1 0'],
    [{ newest: iso(3), next: 'ffffffffffffffff' }, '3b 3a 2 1 0'],
    [{ newest: iso(3), next: '00000000000000a1', oldest: iso(1) }, '2 1'],
    [{ oldest: iso(3), next: '00000000000000a1', order: 'ascending' }, '3b 4 5'],
    [{ oldest: iso(3), next: '00000000000000b1', order: 'ascending' }, '4 5'],
    [{ oldest: iso(3), next: '00000000000000a1', newest: iso(4), order: 'ascending' }, '3b 4'],
    // Without its time bound it means nothing.
    [{ next: '00000000000000b1' }, '5 4 3b 3a 2 1 0'],
    [{ next: '00000000000000b1', oldest: iso(4) }, '5 4'],
    [{ next: '00000000000000b1', newest: iso(1), order: 'ascending' }, '0 1'],
    // Bounds beyond every time that is stored.
    [{ oldest: '0001-01-01T00:00:00Z', newest: '9999-12-31T23:59:59Z' }, '5 4 3b 3a 2 1 0'],
    // Times in every form.
    [{ newest: '2026-02-03T10:00:01+01:00' }, '0'],
    [{ newest: '2026-02-03T09:00:01' }, '0'],
    [{ newest: '2026-02-03 09:00:00.000001Z' }, '0'],
    [{ newest: NINE / 1000 + 1 }, '0'],
    [{ newest: NINE + 1000 }, '0'],
    [{ newest: NINE + 1 }, '0'],
    [{ newest: String(NINE + 1000) }, '0'],
    [{ newest: null, limit: null, order: null }, '5 4 3b 3a 2 1 0'],
  ]

  test.each(ROWS)('%j', async (windowing, names) => {
    expect((await ask({ windowing })).names).toBe(names)
    expect((await ask(windowing)).names).toBe(names)
  })

  test('a full page says how to go on, another does not', async () => {
    expect(await ask({})).toMatchObject({ windowing: undefined })
    expect(await ask({ limit: 8 })).toMatchObject({ windowing: undefined })
    const { windowing } = await ask({ windowing: { limit: 2, oldest: iso(1) } })
    expect(windowing).toMatchObject({
      newest: expect.any(String),
      oldest: expect.any(String),
      limit: 2,
      order: 'descending',
    })
    expect(Date.parse(windowing.newest)).toBe(NINE + 4000)
    expect(Date.parse(windowing.oldest)).toBe(NINE + 1000)
    expect(windowing.next).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/)
  })

  test('the window and the filter hold together', async () => {
    const filtering = { conditions: [{ field: 'span_name', operator: 'startswith', value: '3' }] }
    expect((await ask({ filtering, windowing: { limit: 1 } })).names).toBe('3b')
    expect((await ask({ filtering, windowing: { newest: iso(3) } })).names).toBe('')
  })
})

describe('traces', () => {
  let project: TestProject
  // The root of `late` starts before its child does; that of `early` after.
  const late = at(2, { name: 'late' })
  const early = at(4, { name: 'early' })
  const children = [
    at(9, { traceId: late.traceId, parentSpanId: late.spanId, name: 'late child' }),
    at(0, { traceId: early.traceId, parentSpanId: early.spanId, name: 'early child' }),
  ]
  const twins = ['a', 'b'].map(digit => at(3, { traceId: `${digit}${newTraceId().slice(1)}`, name: `3${digit}` }))

  beforeAll(async () => {
    project = await newProject()
    await project.store(late, early, ...children, ...twins, at(1, { name: 'one' }))
  })

  const ask = async (body: object): Promise<{ names: string; body: any }> => {
    const answer = await project.post('/api/traces/query', body)
    expect(answer.status, answer.text).toBe(200)
    expect(answer.body.count).toBe(answer.body.traces.length)
    return { names: answer.body.traces.map((trace: any) => Object.keys(trace.spans)[0]).join(' '), body: answer.body }
  }
  const [a, b] = twins.map(span => span.traceId) as [string, string]

  test.each<[object, string]>([
    [{}, 'early 3b 3a late one'],
    [{ order: 'ascending' }, 'one late 3a 3b early'],
    [{ limit: 2 }, 'early 3b'],
    [{ limit: 3, order: 'ascending' }, 'one late 3a'],
    [{ limit: 0 }, 'early'],
    [{ limit: -1 }, 'early'],
    // The window holds for roots alone, newest exclusive and oldest inclusive in either order.
    [{ newest: iso(4) }, '3b 3a late one'],
    [{ oldest: iso(3) }, 'early 3b 3a'],
    [{ oldest: iso(5) }, ''],
    [{ newest: iso(1) }, ''],
    [{ oldest: iso(2), newest: iso(4), order: 'ascending' }, 'late 3a 3b'],
    [{ newest: iso(3), next: b }, '3a late one'],
    [{ newest: iso(3), next: dashed(b) }, '3a late one'],
    [{ newest: iso(3), next: a, oldest: iso(2) }, 'late'],
    [{ oldest: iso(3), next: a, order: 'ascending' }, '3b early'],
    [{ next: a }, 'early 3b 3a late one'],
  ])('%j', async (windowing, names) => {
    expect((await ask({ windowing })).names).toBe(names)
    expect((await ask(windowing)).names).toBe(names)
  })

  test('come whole, also when parts of them lie outside the window', async () => {
    const { body } = await ask({ windowing: { oldest: iso(2), newest: iso(3) } })
    expect(body.traces).toMatchObject([{ trace_id: late.traceId, spans: { late: { spans: { 'late child': {} } } } }])
  })

  test('qualify by any one of their spans, wherever in time it lies', async () => {
    const named = (value: string, more: object[] = []) => ({ conditions: [{ field: 'span_name', value }, ...more] })
    expect((await ask({ filtering: named('late child') })).names).toBe('late')
    expect((await ask({ filtering: named('late child'), windowing: { newest: iso(3) } })).names).toBe('late')
    expect((await ask({ filtering: named('early child'), windowing: { oldest: iso(4) } })).names).toBe('early')
    expect((await ask({ filtering: named('late child'), windowing: { oldest: iso(5) } })).names).toBe('')
    // It has to be one span for all conditions.
    expect((await ask({ filtering: named('late child', [{ field: 'parent_id', value: late.spanId }]) })).names).toBe(
      'late',
    )
    expect((await ask({ filtering: named('late child', [{ field: 'parent_id', value: null }]) })).names).toBe('')
    const notRoot = { operator: 'not', conditions: [{ field: 'parent_id', value: null }] }
    expect((await ask({ filtering: notRoot })).names).toBe('early late')
  })

  test('are listed once, however many of their spans qualify', async () => {
    const contains = { field: 'span_name', operator: 'contains', value: 'late' }
    const { names, body } = await ask({ filtering: { conditions: [contains] }, windowing: { limit: 1 } })
    expect(names).toBe('late')
    expect((await ask({ windowing: body.windowing, filtering: { conditions: [contains] } })).names).toBe('')
  })

  test('a single trace id keeps to limit, window and group', async () => {
    const one = { field: 'trace_id', operator: 'is', value: a }
    const both = { field: 'trace_id', operator: 'in', value: [a, b, newTraceId()] }
    expect((await ask({ filtering: { conditions: [one] } })).names).toBe('3a')
    expect((await ask({ filtering: { conditions: [both] } })).names).toBe('3b 3a')
    expect((await ask({ filtering: { conditions: [both] }, windowing: { limit: 1 } })).names).toBe('3b')
    expect((await ask({ filtering: { conditions: [both] }, windowing: { order: 'ascending' } })).names).toBe('3a 3b')
    expect((await ask({ filtering: { conditions: [one] }, windowing: { oldest: iso(4) } })).names).toBe('')
    expect((await ask({ filtering: { operator: 'not', conditions: [one] } })).names).toBe('early 3b late one')
    expect((await ask({ filtering: { operator: 'nor', conditions: [one] } })).names).toBe('early 3b late one')
  })

  test('a full page says how to go on', async () => {
    const { body } = await ask({ windowing: { limit: 2 } })
    expect(body.windowing).toEqual({ newest: expect.any(String), next: dashed(b), limit: 2, order: 'descending' })
    expect((await ask({ windowing: body.windowing })).names).toBe('3a late')
    expect((await ask({ windowing: { limit: 6 } })).body).not.toHaveProperty('windowing')
  })
})

describe('sampling', () => {
  test('keeps a trace by the first eight digits of its id, the same for spans and traces', async () => {
    const project = await newProject()
    const roots = Array.from({ length: 60 }, (_, second) => at(second))
    await project.store(...roots)
    const kept = (percent: number): string[] =>
      roots
        .map(span => span.traceId)
        .filter(id => Number.parseInt(id.slice(0, 8), 16) % 100 < percent)
        .sort()
    for (const [rate, percent] of [
      [0, 0],
      [0.004, 0],
      [0.01, 1],
      [0.25, 25],
      [0.5, 50],
      [0.999, 99],
      [1, 100],
    ] as const) {
      const spans = await project.post('/api/spans/query', { windowing: { rate } })
      expect(spans.body.spans.map((span: any) => span.trace_id).sort(), String(rate)).toEqual(kept(percent))
      const traces = await project.post('/api/traces/query', { rate })
      expect(traces.body.traces.map((trace: any) => trace.trace_id).sort()).toEqual(kept(percent))
    }
    const page = await project.post('/api/spans/query', { windowing: { rate: 0.9, limit: 5 } })
    expect(page.body.windowing).toMatchObject({ rate: 0.9 })
  })
})
