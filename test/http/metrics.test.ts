import { describe, expect, test } from 'vitest'
import { eventually, newProject, type TestProject } from '../harness.ts'
import { exportOf, newSpanId, newTraceId, type OtlpSpan, otlpSpan } from '../otlp.ts'

/** Own tokens as the SDK sends them. */
const tokens = (prompt: number, completion: number): Record<string, number> => ({
  'ag.metrics.unit.tokens.prompt': prompt,
  'ag.metrics.unit.tokens.completion': completion,
  'ag.metrics.unit.tokens.total': prompt + completion,
})
const cost = (total: number): Record<string, number> => ({ 'ag.metrics.unit.costs.total': total })
const EXCEPTION = { name: 'exception', attributes: [{ key: 'exception.message', value: { stringValue: 'no' } }] }

/** `ag.metrics` of every span of a trace, by name, as soon as they are what is expected. */
async function expectMetrics(project: TestProject, traceId: string, expected: Record<string, object>): Promise<void> {
  let last: unknown
  const found = eventually(async () => {
    const { body } = await project.get(`/api/spans/?trace_id=${traceId}`)
    last = Object.fromEntries(body.spans.map((span: any) => [span.span_name, span.attributes.ag.metrics]))
    expect(last).toMatchObject(expected)
    return true
  })
  await found.catch(() => expect(last).toMatchObject(expected))
}

const total = (value: number): object => ({ cumulative: expect.objectContaining({ total: value }) })

describe.concurrent('totals', () => {
  test('of the worked example', async () => {
    const project = await newProject()
    const traceId = newTraceId()
    const root = otlpSpan({ traceId, name: 'root', endTimeUnixNano: '1770000004000000000' })
    const chat = otlpSpan(
      { traceId, name: 'chat', parentSpanId: root.spanId },
      {
        ...tokens(100, 10),
        'ag.metrics.unit.costs.prompt': 0.0001,
        'ag.metrics.unit.costs.completion': 0.00002,
        'ag.metrics.unit.costs.total': 0.00012,
      },
    )
    await project.store(root, chat)
    const sums = {
      tokens: { cumulative: { prompt: 100, completion: 10, total: 110 } },
      costs: { cumulative: { prompt: 0.0001, completion: 0.00002, total: 0.00012 } },
    }
    await expectMetrics(project, traceId, { root: { duration: { cumulative: 4000 }, ...sums }, chat: sums })
  })

  /** root > (a > (b, c), d); each of a to d uses tokens. */
  const family = (): { traceId: string; spans: Record<'root' | 'a' | 'b' | 'c' | 'd', OtlpSpan> } => {
    const traceId = newTraceId()
    const root = otlpSpan({ traceId, name: 'root' })
    const a = otlpSpan({ traceId, name: 'a', parentSpanId: root.spanId }, { ...tokens(1, 2), ...cost(0.1) })
    const b = otlpSpan(
      { traceId, name: 'b', parentSpanId: a.spanId, events: [EXCEPTION] },
      { ...tokens(10, 20), ...cost(0.2) },
    )
    const c = otlpSpan({ traceId, name: 'c', parentSpanId: a.spanId }, { ...tokens(100, 200), ...cost(0.7) })
    const d = otlpSpan({ traceId, name: 'd', parentSpanId: root.spanId, events: [EXCEPTION, EXCEPTION] }, cost(1e-9))
    return { traceId, spans: { root, a, b, c, d } }
  }
  const FAMILY = {
    root: {
      tokens: { cumulative: { prompt: 111, completion: 222, total: 333 } },
      costs: total(1.000000001),
      errors: { cumulative: 3 },
    },
    a: {
      tokens: { cumulative: { prompt: 111, completion: 222, total: 333 } },
      costs: total(1),
      errors: { cumulative: 1 },
    },
    b: {
      tokens: { cumulative: { prompt: 10, completion: 20, total: 30 } },
      costs: total(0.2),
      errors: { cumulative: 1 },
    },
    c: { tokens: { cumulative: { prompt: 100, completion: 200, total: 300 } }, costs: total(0.7) },
    d: { costs: total(1e-9), errors: { cumulative: 2 } },
  }

  test.each([
    'root a b c d',
    'd c b a root',
    'b root c d a',
    'c b,d a,root',
    'root,d,c b,a',
    'a,b,c,d,root',
    'c c root d,c a b b,a',
  ])('are those of the whole trace when its exports are: %s', async plan => {
    const project = await newProject()
    const { traceId, spans } = family()
    for (const part of plan.split(' ')) {
      const answer = await project.export(exportOf(...part.split(',').map(name => spans[name as 'a'])))
      expect(answer.status).toBe(202)
    }
    await expectMetrics(project, traceId, FAMILY)
  })

  test('change when a child comes once the trace has been read', async () => {
    const project = await newProject()
    const { traceId, spans } = family()
    const { c, ...others } = spans
    await project.store(...Object.values(others))
    await expectMetrics(project, traceId, {
      root: { tokens: { cumulative: { total: 33 } }, costs: total(0.300000001) },
    })
    await project.store(c)
    await expectMetrics(project, traceId, FAMILY)
  })

  test('follow a span that is sent again with other amounts, and one that moves', async () => {
    const project = await newProject()
    const { traceId, spans } = family()
    await project.store(...Object.values(spans))
    const { spanId } = spans.c
    await project.export(exportOf(otlpSpan({ traceId, name: 'c', spanId, parentSpanId: spans.d.spanId }, tokens(5, 0))))
    await expectMetrics(project, traceId, {
      root: { tokens: { cumulative: { prompt: 16, completion: 22, total: 38 } }, costs: total(0.300000001) },
      a: { tokens: { cumulative: { prompt: 11, completion: 22, total: 33 } }, costs: total(0.3) },
      d: { tokens: { cumulative: { prompt: 5, completion: 0, total: 5 } } },
    })
  })

  test('of orphans go to their own top, until the parent comes', async () => {
    const project = await newProject()
    const { traceId, spans } = family()
    const { a, ...others } = spans
    await project.store(...Object.values(others))
    await expectMetrics(project, traceId, {
      root: { costs: total(1e-9), errors: { cumulative: 2 } },
      c: FAMILY.c,
      b: FAMILY.b,
    })
    expect(
      (await project.get(`/api/spans/${traceId}/${spans.root.spanId}`)).body.span.attributes.ag.metrics.tokens,
    ).toEqual({})
    await project.store(a)
    await expectMetrics(project, traceId, FAMILY)
  })

  test('are not mixed between traces, whatever span ids they use', async () => {
    const project = await newProject()
    const { spans } = family()
    const traceIds = [newTraceId(), newTraceId()]
    for (const [index, traceId] of traceIds.entries())
      for (const span of Object.values(spans))
        if (index === 0 || span.name !== 'c') await project.export(exportOf({ ...span, traceId }))
    await expectMetrics(project, traceIds[0] as string, FAMILY)
    await expectMetrics(project, traceIds[1] as string, { root: { tokens: { cumulative: { total: 33 } } } })
  })

  test('stay exact in cents', async () => {
    const project = await newProject()
    const traceId = newTraceId()
    const root = otlpSpan({ traceId, name: 'root' }, cost(0.1))
    const children = [0.1, 0.1, 0.2, 0.3, 0.1].map((value, index) =>
      otlpSpan({ traceId, name: `child ${index}`, parentSpanId: root.spanId }, cost(value)),
    )
    await project.store(root, ...children)
    await expectMetrics(project, traceId, { root: { costs: total(0.9) } })
    const { text } = await project.get(`/api/traces/${traceId}`)
    expect(text).not.toMatch(/\d\.\d*(0000000|9999999)\d/)
  })

  test('leave out what is nothing, and do not add up prompt and completion', async () => {
    const project = await newProject()
    const traceId = newTraceId()
    const root = otlpSpan({ traceId, name: 'root' })
    const child = otlpSpan(
      { traceId, name: 'child', parentSpanId: root.spanId },
      { 'ag.metrics.unit.tokens.prompt': 5, 'ag.metrics.unit.tokens.cached': 3 },
    )
    await project.store(root, child)
    await expectMetrics(project, traceId, {
      root: { tokens: { cumulative: { prompt: 5, completion: 0, total: 0 } }, costs: {}, errors: {} },
      child: { tokens: { incremental: { prompt: 5, cached: 3 }, cumulative: { prompt: 5, completion: 0, total: 0 } } },
    })
    const { metrics } = (await project.get(`/api/spans/${traceId}/${root.spanId}`)).body.span.attributes.ag
    expect(metrics.errors).toEqual({})
    expect(metrics.costs).toEqual({})
    expect(metrics.tokens).not.toHaveProperty('incremental')
  })
})

describe.concurrent('what a client says itself', () => {
  const claim = (value: number): Record<string, number> => ({ 'ag.metrics.acc.tokens.total': value })

  test('holds on leaves, and feeds their parents', async () => {
    const project = await newProject()
    const traceId = newTraceId()
    const root = otlpSpan({ traceId, name: 'root' }, claim(1000))
    const leaf = otlpSpan({ traceId, name: 'leaf', parentSpanId: root.spanId }, claim(7))
    await project.store(root, leaf)
    await expectMetrics(project, traceId, {
      leaf: { tokens: { cumulative: { total: 7 } } },
      root: { tokens: { cumulative: { total: 7 } } },
    })
  })

  test('gives way to what the spans say', async () => {
    const project = await newProject()
    const traceId = newTraceId()
    const root = otlpSpan({ traceId, name: 'root' }, { ...claim(1000), ...tokens(1, 1) })
    await project.store(root)
    await expectMetrics(project, traceId, { root: { tokens: { cumulative: { prompt: 1, completion: 1, total: 2 } } } })
  })

  test('on a root holds until its children come', async () => {
    const project = await newProject()
    const traceId = newTraceId()
    const root = otlpSpan({ traceId, name: 'root' }, { ...claim(1000), 'ag.metrics.acc.costs.total': 2 })
    await project.store(root)
    await expectMetrics(project, traceId, { root: { tokens: { cumulative: { total: 1000 } }, costs: total(2) } })
    await project.store(otlpSpan({ traceId, name: 'child', parentSpanId: root.spanId }, tokens(3, 4)))
    await expectMetrics(project, traceId, { root: { tokens: { cumulative: { total: 7 } }, costs: total(2) } })
  })
})

describe.concurrent('the duration', () => {
  test('is the span’s own, in milliseconds with three decimals', async () => {
    const project = await newProject()
    const traceId = newTraceId()
    const start = 1_770_000_000_000_000_000n
    const span = (name: string, nanos: bigint, attributes = {}): OtlpSpan =>
      otlpSpan({ traceId, name, startTimeUnixNano: String(start), endTimeUnixNano: String(start + nanos) }, attributes)
    const root = span('root', 2_500_000_000n)
    const child = { ...span('child', 9_000_000_000n), parentSpanId: root.spanId }
    await project.store(root, child, span('micro', 1_234_567n), span('zero', 0n), span('back', -5_000_000n))
    await expectMetrics(project, traceId, {
      root: { duration: { cumulative: 2500 } },
      child: { duration: { cumulative: 9000 } },
      micro: { duration: { cumulative: 1.235 } },
      zero: { duration: {} },
      back: { duration: {} },
    })
  })
})

test('totals can be asked for as soon as they are there', async () => {
  const project = await newProject()
  const traceId = newTraceId()
  const root = otlpSpan({ traceId, name: 'root' })
  await project.store(root)
  await project.store(
    otlpSpan({ traceId, spanId: newSpanId(), name: 'child', parentSpanId: root.spanId }, tokens(30, 3)),
  )
  const over = (field: string, value: number) =>
    project.post('/api/spans/query', {
      filtering: { conditions: [{ field: 'attributes', key: `ag.metrics.${field}`, operator: 'gt', value }] },
    })
  await eventually(async () => (await over('tokens.cumulative.total', 32)).body.count === 2, 5000)
  expect((await over('tokens.cumulative.total', 33)).body.count).toBe(0)
  expect((await over('tokens.incremental.total', 32)).body.count).toBe(1)
  expect((await over('duration.cumulative', 999)).body.count).toBe(2)
})
