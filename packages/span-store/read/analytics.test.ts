import { type Json, type JsonObject, microsToIso, type Uuid } from '@spanhouse/model'
import { parseAnalyticsQuery } from '@spanhouse/query'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampledRuns } from '../../../test/sets/sample.ts'
import { SpanBatch } from '../bytes/span-batch.ts'
import type { Engine } from '../engine/engine.ts'
import { statisticsOracle } from '../engine/statistics.testing.ts'
import { makeSpan, newProject, openTestEngine } from '../spans.testing.ts'
import { SpanWriter } from '../write/write.ts'
import { readAnalytics } from './analytics.ts'

let engine: Engine
let close: () => Promise<void>
let writer: SpanWriter
beforeAll(async () => {
  ;({ engine, close } = await openTestEngine())
  writer = new SpanWriter(engine)
})
afterAll(() => close())

const OLDEST = Date.UTC(2026, 1, 3) * 1000
const HOUR = 3_600_000_000
const HOURS = 6

/** A trace of a root and a child; only the root's attributes count. */
interface Trace {
  at: number
  value: Json | undefined
  other: Json | undefined
}

/** Zero for numbers with few digits, so small are they: a percentile between two of them depends on its rounding. */
function withDigits(value: number): number {
  return Math.abs(value) < 1e-290 ? 0 : value
}

const value = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -5, max: 20 }) },
  { weight: 3, arbitrary: fc.double({ min: -1e6, max: 1e6, noNaN: true }).map(withDigits) },
  { weight: 3, arbitrary: fc.constantFrom('chat', 'llm', '', 'Ünï "q"', '__proto__', '12') },
  fc.constantFrom(1e20, 1e21, 2 ** 64),
  fc.boolean(),
  fc.array(fc.oneof(fc.constantFrom('a', 'b', 'a"', `${1e20}`), fc.integer(), fc.constantFrom(1e20, -1e19)), {
    maxLength: 3,
  }),
  fc.constantFrom<Json[]>({}, { deep: 1 }, null),
)
const trace: fc.Arbitrary<Trace> = fc.record({
  at: fc.integer({ min: 0, max: HOURS * HOUR - 1 }),
  value: fc.option(value, { nil: undefined }),
  other: fc.option(value, { nil: undefined }),
})
const histogram = fc.record(
  {
    bins: fc.integer({ min: 1, max: 12 }),
    vmin: fc.integer({ min: -10, max: 10 }),
    vmax: fc.integer({ min: 10, max: 30 }),
    edge: fc.boolean(),
  },
  { requiredKeys: [] },
)

const TYPES = [
  ...['numeric/continuous', 'numeric/discrete', 'binary', 'categorical/single'],
  ...['categorical/multiple', 'string', 'json'],
]

async function store(project_id: Uuid, traces: readonly Trace[]): Promise<void> {
  const spans = traces.flatMap(({ at, value, other }, index) => {
    const trace_id = (index + 1).toString(16).padStart(32, '0')
    const base = makeSpan({ trace_id, span_id: '00000000000000a1', start_time: OLDEST + at, end_time: OLDEST + at + 1 })
    const given: JsonObject = { ...(value === undefined ? {} : { value }), ...(other === undefined ? {} : { other }) }
    const attributes = { ...base.attributes, my: given }
    const child = { ...base, span_id: '00000000000000a2', parent_id: base.span_id, start_time: base.start_time + 1 }
    return [
      { ...base, attributes },
      { ...child, attributes: { ...base.attributes, my: { value: 1, other: 'child' } } },
    ]
  })
  const sent = { project_id, user_id: project_id, accepted_at: OLDEST }
  await writer.write(SpanBatch.of(spans.map(span => ({ ...sent, span }))))
}

/** Numbers as near as the order of summing lets them be, everything else exactly. */
function near(value: Json): unknown {
  if (typeof value === 'number') return expect.closeTo(value, 4 - Math.max(0, Math.log10(Math.abs(value)) - 6))
  if (Array.isArray(value)) return value.map(near)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, near(one as Json)]))
}

test('every statistic agrees with its definition', async () => {
  const property = fc.asyncProperty(
    fc.array(trace, { minLength: 1, maxLength: 40 }),
    fc.array(fc.tuple(fc.constantFrom(...TYPES), fc.constantFrom('value' as const, 'other' as const), histogram), {
      minLength: 1,
      maxLength: 3,
    }),
    fc.constantFrom(60, 120, 360, undefined),
    async (traces, asked, interval) => {
      const project_id = newProject()
      await store(project_id, traces)
      const specs = asked.map(([type, name, options]) => ({ type, path: `my.${name}`, ...options }))
      const newest = microsToIso(OLDEST + HOURS * HOUR)
      const query = parseAnalyticsQuery({}, { specs, oldest: microsToIso(OLDEST), newest, interval: interval ?? null })
      const minutes = interval ?? HOURS * 60
      const expected = Array.from({ length: (HOURS * 60) / minutes }, (_, index) => {
        const inBucket = traces.filter(({ at }) => Math.floor(at / (minutes * 60_000_000)) === index)
        const metrics: { [key: string]: JsonObject } = {}
        for (const [type, name, options] of asked) {
          const values = inBucket.map(one => one[name]).filter(one => one !== undefined)
          const found = statisticsOracle(type, values, options) as JsonObject | undefined
          if (found) metrics[`attributes.my.${name}`] = { ...metrics[`attributes.my.${name}`], ...found }
        }
        const timestamp = microsToIso(OLDEST + index * minutes * 60_000_000)
        return { timestamp, interval: minutes, metrics }
      }).filter(({ metrics }) => Object.keys(metrics).length > 0)
      const { count, buckets } = await readAnalytics(engine, { project_id, query })
      expect([...buckets]).toEqual(near(expected as unknown as Json))
      expect(count).toBe(expected.length)
    },
  )
  await fc.assert(property, { numRuns: sampledRuns(60) })
})

test.each([
  [[0, 0.3, 0.6, 0.9], { bins: 3 }, [1, 1, 2]],
  [[0, 0.8333333333333333, 2.5], { bins: 3 }, [2, 0, 1]],
  [[0, 0.5249999999999999, 0.7], { bins: 3, edge: false }, [1, 0, 2]],
  [[0, 0.049999999999999996, 0.1], { bins: 2, edge: false }, [2, 1]],
])(
  'of %j with %j the values on and just below a bound are in the bin that its interval says',
  async (values, options, counts) => {
    const project_id = newProject()
    await store(
      project_id,
      values.map(value => ({ at: 0, value, other: undefined })),
    )
    const windowing = { oldest: microsToIso(OLDEST), newest: microsToIso(OLDEST + HOUR) }
    const specs = [{ type: 'numeric/continuous', path: 'my.value', ...options }]
    const { buckets } = await readAnalytics(engine, {
      project_id,
      query: parseAnalyticsQuery({}, { specs, ...windowing }),
    })
    const [{ metrics } = {}] = [...buckets]
    const hist = metrics?.['attributes.my.value']?.hist as { count: number }[]
    expect(hist.map(({ count }) => count)).toEqual(counts)
  },
)
