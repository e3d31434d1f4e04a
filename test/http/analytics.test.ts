import { beforeAll, describe, expect, test } from 'vitest'
import { type Answer, eventually, newProject, type TestProject } from '../harness.ts'
import { newTraceId, type OtlpSpan, otlpSpan } from '../otlp.ts'

const DAY = Date.parse('2026-02-03T00:00:00Z')
const RANGE = { oldest: '2026-02-03T00:00:00Z', newest: '2026-02-05T00:00:00Z' }
const EXCEPTION = { name: 'exception', timeUnixNano: '1', attributes: [] }

/** A root that starts at an hour of the third of February and takes that many milliseconds. */
const root = (hour: number, millis: number, attributes: object = {}, more: Partial<OtlpSpan> = {}): OtlpSpan => {
  const start = DAY + hour * 3_600_000
  return otlpSpan(
    {
      traceId: newTraceId(),
      startTimeUnixNano: `${start}000000`,
      endTimeUnixNano: `${start + millis}000000`,
      ...more,
    },
    { 'ag.type.node': 'workflow', ...attributes },
  )
}

const usage = (tokens: number, costs: number): object => ({
  'ag.metrics.unit.tokens.total': tokens,
  'ag.metrics.unit.costs.total': costs,
})

let project: TestProject
beforeAll(async () => {
  project = await newProject()
  const first = root(1, 1000, { score: 1, tier: 'pro', ok: true, labels: ['a', 'b'], nested: { deep: 1 } })
  const child = root(
    1,
    500,
    { 'ag.type.node': 'chat', score: 100, tier: 'none', ...usage(15, 0.3) },
    { traceId: first.traceId, parentSpanId: first.spanId, name: 'child' },
  )
  await project.store(
    first,
    child,
    root(2, 2000, { score: 2, tier: 'pro', ok: false, labels: ['a', 7] }),
    root(3, 4000, { score: 'high', tier: 'free', 'ag.type.node': 'chat' }, { events: [EXCEPTION] }),
    root(30, 1000, { score: 2, tier: 'free' }),
    // Outside of the range.
    root(48, 9000, { score: 9 }),
  )
})

const ask = async (body: object | undefined, path = '/api/spans/analytics/query'): Promise<Answer['body']> => {
  const answer = await project.post(path, body)
  expect(answer.status, answer.text).toBe(200)
  expect(answer.body.count).toBe(answer.body.buckets.length)
  return answer.body
}

const spec = (type: string, path: string, more: object = {}) => ({ type, path, ...more })

test('numbers: all members, to the key', async () => {
  const { buckets } = await ask({
    ...RANGE,
    specs: [spec('numeric/continuous', 'ag.metrics.duration.cumulative', { bins: 3 })],
  })
  expect(buckets).toHaveLength(1)
  const { timestamp, interval, metrics } = buckets[0]
  expect([timestamp, interval]).toEqual(['2026-02-03T00:00:00Z', 2880])
  const { pcts, iqrs, pscs, ...rest } = metrics['attributes.ag.metrics.duration.cumulative']
  expect(rest).toEqual({
    type: 'numeric/continuous',
    count: 4,
    sum: 8000,
    mean: 2000,
    min: 1000,
    max: 4000,
    range: 3000,
    hist: [
      { bin: 1, count: 2, interval: [1000, 2000], density: 0.5 },
      { bin: 2, count: 1, interval: [2000, 3000], density: 0.25 },
      { bin: 3, count: 1, interval: [3000, 4000], density: 0.25 },
    ],
  })
  const names =
    'p00.05 p00.1 p00.5 p01 p02.5 p05 p10 p12.5 p20 p25 p30 p37.5 p40 p50 p60 p62.5 p70 p75 p80 p87.5 p90 p95 p97.5 p99 p99.5 p99.9 p99.95'
  expect(Object.keys(pcts).join(' ')).toBe(names)
  expect(pcts).toMatchObject({ p50: 1500, p75: 2500, p25: 1000, 'p62.5': 1875, 'p37.5': 1125 })
  expect(Object.keys(iqrs)).toEqual(['25', '50', '75', '80', '90', '95', '99', '99.9'].map(name => `iqr${name}`))
  expect(Object.keys(pscs)).toEqual(['25', '50', '75', '80', '90', '95', '99', '99.9'].map(name => `psc${name}`))
  expect([iqrs.iqr50, pscs.psc50, iqrs.iqr25, pscs.psc25]).toEqual([1500, 1, 750, 0.5])
})

const of = (value: unknown, count: number, density: number) => ({ value, count, density })
const MEASURES: [type: string, path: string, expected: object | undefined][] = [
  ['categorical/single', 'tier', { count: 4, freq: [of('free', 2, 0.5), of('pro', 2, 0.5)], uniq: ['free', 'pro'] }],
  ['categorical/single', 'score', { count: 1, freq: [of('high', 1, 1)], uniq: ['high'] }],
  [
    'categorical/single',
    'attributes.ag.type.span',
    { count: 4, freq: [of('workflow', 3, 0.75), of('chat', 1, 0.25)], uniq: ['workflow', 'chat'] },
  ],
  ['categorical/single', 'ag.type.trace', { count: 4, freq: [of('invocation', 4, 1)], uniq: ['invocation'] }],
  ['categorical/multiple', 'labels', { count: 3, freq: [of('a', 2, 0.66667), of('b', 1, 0.33333)], uniq: ['a', 'b'] }],
  ['binary', 'ok', { count: 2, freq: [of(true, 1, 0.5), of(false, 1, 0.5)], uniq: [true, false] }],
  ['string', 'tier', { count: 4 }],
  ['json', 'nested', { count: 1 }],
  ['json', '*', { count: 4 }],
  ['numeric/discrete', 'tier', undefined],
  ['binary', 'missing', undefined],
]

describe('each measure passes over values of other types', () => {
  test.each(MEASURES)('%s of %s', async (type, path, expected) => {
    const { buckets, specs } = await ask({ ...RANGE, specs: [spec(type, path)] })
    expect(specs).toEqual([{ type, path }])
    const key = path.startsWith('attributes.') ? path : `attributes.${path}`
    expect(buckets.map((bucket: any) => bucket.metrics)).toEqual(expected ? [{ [key]: { type, ...expected } }] : [])
  })

  test('discrete numbers', async () => {
    const { buckets } = await ask({ ...RANGE, specs: [spec('numeric/discrete', 'score')] })
    const { type, count, freq, uniq, sum, hist } = buckets[0].metrics['attributes.score']
    expect([type, count, sum, uniq, hist]).toEqual(['numeric/discrete', 3, 5, [2, 1], undefined])
    expect(freq).toEqual([of(2, 2, 0.66667), of(1, 1, 0.33333)])
  })

  test.each([
    ['score', 'numeric/continuous'],
    ['tier', 'categorical/single'],
    ['ok', 'binary'],
    ['labels', 'categorical/multiple'],
    ['nested', 'json'],
  ])('* of %s is %s', async (path, type) => {
    const { buckets, specs } = await ask({ ...RANGE, specs: [{ type: '*', path }] })
    expect(buckets[0].metrics[`attributes.${path}`].type).toBe(type)
    expect(specs).toEqual([{ type: '*', path }])
  })
})

test('parts of a total that are zero are values', async () => {
  const path = 'attributes.ag.metrics.costs.cumulative.completion'
  const { buckets } = await ask({ ...RANGE, specs: [spec('numeric/discrete', path)] })
  expect(buckets[0].metrics[path]).toMatchObject({ count: 1, sum: 0, uniq: [0] })
})

test('numbers so far apart that no number holds their distance have no statistics of it', async () => {
  const own = await newProject()
  const far = (doubleValue: number) => ({ attributes: [{ key: 'far', value: { doubleValue } }] })
  await own.store(...[-1.7e308, 1.5, 1.7e308].map((value, hour) => root(hour, 1000, {}, far(value))))
  const asked = ['numeric/continuous', 'numeric/discrete'].map(type => spec(type, 'far'))
  for (const one of asked) {
    const { status, body, text } = await own.post('/api/spans/analytics/query', { ...RANGE, specs: [one] })
    expect(status, text).toBe(200)
    const { pcts, iqrs, ...rest } = body.buckets[0].metrics['attributes.far']
    expect(rest).toMatchObject({ count: 3, min: -1.7e308, max: 1.7e308, range: null })
    if (rest.hist) expect(rest.hist).toEqual([{ bin: 1, count: 3, interval: [-1.7e308, 1.7e308], density: 1 }])
    expect(pcts).toMatchObject({ p50: 1.5 })
    expect(iqrs).toMatchObject({ iqr99: null })
  }
})

test('none asks for nothing; two specs of a path make one object', async () => {
  expect(await ask({ ...RANGE, specs: [{}] })).toMatchObject({ count: 0, specs: [{ type: 'none', path: '*' }] })
  const { buckets } = await ask({ ...RANGE, specs: [spec('numeric/continuous', 'score'), spec('string', 'score')] })
  expect(buckets[0].metrics['attributes.score']).toMatchObject({ type: 'string', count: 1, hist: expect.any(Array) })
})

test('without specs the defaults, echoed', async () => {
  const { buckets, specs, query } = await ask(RANGE)
  const expected = [
    'numeric/continuous attributes.ag.metrics.duration.cumulative',
    'numeric/continuous attributes.ag.metrics.errors.cumulative',
    'numeric/continuous attributes.ag.metrics.costs.cumulative.total',
    'numeric/continuous attributes.ag.metrics.tokens.cumulative.total',
    'categorical/single attributes.ag.type.trace',
    'categorical/single attributes.ag.type.span',
  ]
  expect(specs.map(({ type, path }: any) => `${type} ${path}`)).toEqual(expected)
  expect(Object.keys(buckets[0].metrics).sort()).toEqual(expected.map(line => line.split(' ')[1]).sort())
  expect(buckets[0].metrics['attributes.ag.metrics.costs.cumulative.total']).toMatchObject({ count: 1, sum: 0.3 })
  expect(query).toEqual({
    formatting: { focus: 'trace', format: 'agenta' },
    windowing: RANGE,
    filtering: { operator: 'and', conditions: [] },
  })
})

const counts = { specs: [spec('json', '*')] }
const countsOf = (body: Answer['body']) =>
  body.buckets.map((bucket: any) => [bucket.timestamp, bucket.interval, bucket.metrics['attributes.*'].count])

test('buckets begin at oldest; those without anything are left out', async () => {
  expect(countsOf(await ask({ ...RANGE, interval: 60, ...counts }))).toEqual([
    ['2026-02-03T01:00:00Z', 60, 1],
    ['2026-02-03T02:00:00Z', 60, 1],
    ['2026-02-03T03:00:00Z', 60, 1],
    ['2026-02-04T06:00:00Z', 60, 1],
  ])
  const shifted = { oldest: '2026-02-03T01:30:00Z', newest: '2026-02-03T04:00:00Z' }
  expect(countsOf(await ask({ ...shifted, interval: 60, ...counts }))).toEqual([
    ['2026-02-03T01:30:00Z', 60, 1],
    ['2026-02-03T02:30:00Z', 60, 1],
  ])
  // 2,880 buckets of a minute are too many.
  expect(countsOf(await ask({ ...RANGE, interval: 1, ...counts }))[0]).toEqual(['2026-02-03T01:00:00Z', 5, 1])
})

test('a range that is none is the 30 days before newest', async () => {
  const asked = { newest: RANGE.newest, oldest: '2026-03-05T00:00:00Z', ...counts }
  expect(countsOf(await ask(asked))).toEqual([['2026-01-06T00:00:00Z', 43200, 4]])
  expect(await ask({ ...asked, oldest: RANGE.newest })).toMatchObject({ count: 1 })
})

const pro = { conditions: [{ field: 'attributes', key: 'tier', value: 'pro' }] }
const child = { conditions: [{ field: 'span_name', value: 'child' }] }

test.each<[string, object, number]>([
  ['filter', { filter: pro }, 2],
  ['filter as text', { filter: JSON.stringify(pro) }, 2],
  ['filtering', { filtering: pro }, 2],
  ['of any span of the trace', { filter: child }, 1],
  ['nested windowing', { oldest: undefined, newest: undefined, windowing: RANGE, filter: pro }, 2],
  ['nobody', { rate: 0 }, 0],
  ['everybody', { rate: 1 }, 4],
])('%s', async (_name, body, count) => {
  const { buckets } = await ask({ ...RANGE, ...counts, ...body })
  expect(buckets[0]?.metrics['attributes.*'].count ?? 0).toBe(count)
})

test('the focus of the request changes no statistics', async () => {
  const own = await newProject()
  const trace = root(1, 1000)
  const { traceId, spanId: parentSpanId } = trace
  const sessions = ['first', 'second'].map((id, at) =>
    root(2 + at, 1000, { 'ag.session.id': id }, { traceId, parentSpanId }),
  )
  await own.store(trace, ...sessions)
  for (const focus of ['trace', 'span'])
    for (const value of ['first', 'second', 'third']) {
      const filter = { conditions: [{ field: 'session_id', value }] }
      const { body } = await own.post('/api/spans/analytics/query', { ...RANGE, ...counts, focus, filter })
      expect(body.count, `${focus} ${value}`).toBe(value === 'third' ? 0 : 1)
    }
})

test('query string; each block of the body goes before it', async () => {
  const parameters = new URLSearchParams({
    focus: 'span',
    interval: '2880',
    oldest: RANGE.oldest,
    newest: String(Date.parse(RANGE.newest)),
    filter: JSON.stringify(pro),
    specs: JSON.stringify(counts.specs),
  })
  const path = `/api/tracing/analytics/query?${parameters}`
  const bare = await ask(undefined, path)
  expect(countsOf(bare)).toEqual([[RANGE.oldest, 2880, 2]])
  expect(bare.query).toEqual({
    formatting: { focus: 'span', format: 'agenta' },
    windowing: { ...RANGE, interval: 2880 },
    filtering: { operator: 'and', ...pro },
  })
  const nested = new URLSearchParams({
    formatting: JSON.stringify({ focus: 'span' }),
    windowing: JSON.stringify({ ...RANGE, interval: 2880 }),
    filtering: JSON.stringify(pro),
    specs: JSON.stringify(counts.specs),
  })
  expect(await ask(undefined, `/api/spans/analytics/query?${nested}&project_id=x`)).toEqual(bare)
  expect(countsOf(await ask({ filter: child }, path))).toEqual([[RANGE.oldest, 2880, 1]])
  const later = await ask({ oldest: '2026-02-04T00:00:00Z', newest: RANGE.newest, filter: { conditions: [] } }, path)
  expect(countsOf(later)).toEqual([['2026-02-04T00:00:00Z', 1440, 1]])
  expect(later.query.formatting.focus).toBe('trace')
})

const REFUSED: [body: unknown, status: number, at: unknown][] = [
  [[], 422, ['body']],
  [{ spces: [] }, 422, ['body', 'spces']],
  [{ specs: 'x' }, 422, ['body', 'specs']],
  [{ specs: {} }, 422, ['body', 'specs']],
  [{ specs: [1] }, 422, ['body', 'specs', 0]],
  [{ specs: [{ type: 'numeric' }] }, 422, ['body', 'specs', 0, 'type']],
  [{ specs: [{ path: 7 }] }, 422, ['body', 'specs', 0, 'path']],
  [{ specs: [{}, { bins: 0 }] }, 422, ['body', 'specs', 1, 'bins']],
  [{ specs: [{ bins: 1.5 }] }, 422, ['body', 'specs', 0, 'bins']],
  [{ specs: [{ vmin: 'a' }] }, 422, ['body', 'specs', 0, 'vmin']],
  [{ specs: [{ vmin: 2, vmax: 1 }] }, 422, ['body', 'specs', 0, 'vmax']],
  [{ specs: [{ edge: 1 }] }, 422, ['body', 'specs', 0, 'edge']],
  [{ specs: Array(51).fill({}) }, 422, ['body', 'specs']],
  [{ focus: 'both' }, 422, ['body', 'focus']],
  [{ format: 'xml' }, 422, ['body', 'format']],
  [{ oldest: 'yesterday' }, 422, ['body', 'oldest']],
  [{ oldest: { toString: 1 } }, 422, ['body', 'oldest']],
  [{ newest: [{ toString: 1 }] }, 422, ['body', 'newest']],
  [{ windowing: { oldset: RANGE.oldest } }, 422, ['body', 'windowing', 'oldset']],
  [{ formatting: { fokus: 'span' } }, 422, ['body', 'formatting', 'fokus']],
  [{ windowing: '{"oldset":1}' }, 422, ['body', 'windowing', 'oldset']],
  [{ filtering: '{' }, 422, ['body', 'filtering']],
  [{ specs: [{ typ: 'binary' }] }, 422, ['body', 'specs', 0, 'typ']],
  [{ windowing: { newest: 'soon' } }, 422, ['body', 'windowing', 'newest']],
  [{ interval: 0 }, 422, ['body', 'interval']],
  [{ interval: 'day' }, 422, ['body', 'interval']],
  [{ rate: 2 }, 422, ['body', 'rate']],
  [{ filter: 5 }, 422, ['body', 'filter']],
  [{ filter: 'no json' }, 422, ['body', 'filter']],
  [{ filter: { operator: 'xor' } }, 422, ['body', 'filter', 'operator']],
  [{ filter: { conditions: [{ value: 1 }] } }, 422, ['body', 'filter', 'conditions', 0, 'field']],
  [{ filter: { conditions: [{ field: 'name', value: 1 }] } }, 400, 'name'],
  [{ filter: { conditions: [{ field: 'span_name', operator: 'has' }] } }, 400, 'span_name'],
  [{ filter: { conditions: [{ field: 'trace_id', value: 'x' }] } }, 400, 'trace_id'],
  [{ filter: { conditions: [{ field: 'start_time', value: 'x' }] } }, 400, 'start_time'],
]

describe('nothing malformed widens the question', () => {
  test.each(REFUSED)('%j', async (body, status, at) => {
    for (const path of ['/api/spans/analytics/query', '/api/tracing/spans/analytics']) {
      const answer = await project.post(path, body)
      expect(answer.status, answer.text).toBe(status)
      if (status === 400) expect(answer.body.detail).toContain(at)
      else expect(answer.body.detail[0].loc).toEqual(at)
    }
  })

  test.each([
    ...['focus=both', 'interval=x', 'specs=x', 'filter=x', 'oldest=x', 'rate=7', 'oldest=1&oldest=2'],
    ...['filtre={}', 'filtering=x', 'windowing={"oldset":1}', 'formatting={"fokus":"span"}'],
  ])('?%s', async query => {
    const answer = await project.post(`/api/spans/analytics/query?${query}`)
    expect([answer.status, answer.body.detail?.[0].loc.slice(0, 2)]).toEqual([
      422,
      ['query', query.slice(0, query.indexOf('='))],
    ])
  })
})

describe('the older form', () => {
  const totals = (body: object) => ask({ ...RANGE, ...body }, '/api/tracing/spans/analytics')

  test('every bucket, of traces with what is below them', async () => {
    const { count, buckets } = await totals({ interval: 720 })
    const none = { count: 0, duration: 0, costs: 0, tokens: 0 }
    expect(count).toBe(4)
    expect(buckets).toEqual([
      {
        timestamp: '2026-02-03T00:00:00Z',
        interval: 720,
        total: { count: 3, duration: 7000, costs: 0.3, tokens: 15 },
        errors: { count: 1, duration: 4000 },
      },
      { timestamp: '2026-02-03T12:00:00Z', interval: 720, total: none, errors: none },
      { timestamp: '2026-02-04T00:00:00Z', interval: 720, total: { count: 1, duration: 1000 }, errors: none },
      { timestamp: '2026-02-04T12:00:00Z', interval: 720, total: none, errors: none },
    ])
  })

  test('of spans with their own amounts', async () => {
    const { buckets } = await totals({ focus: 'span' })
    expect(buckets[0].total).toEqual({ count: 5, duration: 8500, costs: 0.3, tokens: 15 })
    expect((await totals({ focus: 'span', filter: child })).buckets[0].total.count).toBe(1)
  })
})

test('another project sees nothing of it', async () => {
  const other = await newProject()
  const answer = await eventually(() => other.post('/api/spans/analytics/query', RANGE))
  expect(answer.body).toMatchObject({ count: 0, buckets: [], query: expect.any(Object), specs: expect.any(Array) })
})
