import { statisticsOracle } from '@spanhouse/span-store/engine/statistics.testing.ts'
import { beforeAll, describe, expect, test } from 'vitest'
import type { TestProject } from '../harness.ts'
import { everyOther } from '../sets/sample.ts'
import { byBytes, MINUTE, ownOf, pick, random, type Sent, type Shown, START, storeOddSpans } from './list-fixture.ts'

/* Lists and aggregates, compared with the same computed here from the spans that were sent. */

let project: TestProject
let spans: Shown[]
let heads: Shown[]

beforeAll(async () => {
  ;({ project, spans } = await storeOddSpans())
  heads = spans.filter(({ isHead }) => isHead)
})

interface Window {
  oldest?: number
  newest?: number
}
const WINDOWS: readonly Window[] = [
  {},
  { oldest: START, newest: START + 10 * MINUTE },
  { oldest: START + 1 },
  { newest: START + MINUTE },
  { oldest: START + MINUTE, newest: START + 9 * MINUTE },
]
const ORDERS = ['ascending', 'descending'] as const
type Order = (typeof ORDERS)[number]

const iso = (micros: number): string =>
  new Date(Math.floor(micros / 1000)).toISOString().replace('Z', `${String(micros % 1000).padStart(3, '0')}Z`)
const written = ({ oldest, newest }: Window): object => ({
  ...(oldest !== undefined && { oldest: iso(oldest) }),
  ...(newest !== undefined && { newest: iso(newest) }),
})
/** A time as a row shows it. */
const microsOf = (time: string): number => {
  const [, digits = ''] = /\.(\d+)Z$/.exec(time) ?? []
  return Date.parse(time.replace(/\.\d+Z$/, 'Z')) * 1000 + Number(digits.padEnd(6, '0').slice(0, 6))
}

const isIn =
  ({ oldest, newest }: Window, isAscending: boolean) =>
  ({ start }: Sent): boolean =>
    isAscending
      ? start > (oldest ?? -1) && start <= (newest ?? Number.POSITIVE_INFINITY)
      : start >= (oldest ?? 0) && start < (newest ?? Number.POSITIVE_INFINITY)

type Focus = 'trace' | 'span'
const FOCUSES: readonly Focus[] = ['trace', 'span']

/** The rows of a list: spans ascending have another bound inclusive. */
const rowsIn = (focus: Focus, window: Window, order: Order = 'descending'): Shown[] =>
  (focus === 'trace' ? heads : spans).filter(isIn(window, focus === 'span' && order === 'ascending'))

const idOf = ({ traceId, spanId }: Sent): string => `${traceId} ${spanId}`
const PRIME = 18_446_744_073_709_551_557n
const numberOf = (traceId: string): bigint =>
  BigInt(`0x${Buffer.from(traceId, 'hex').reverse().toString('hex')}`) % PRIME
const compareNumbers = (one: bigint, other: bigint): number => (one < other ? -1 : one > other ? 1 : 0)

/** In the order of time. */
const inTime =
  (focus: Focus) =>
  (one: Shown, other: Shown): number =>
    one.start - other.start ||
    (focus === 'trace'
      ? byBytes(one.traceId, other.traceId)
      : byBytes(one.spanId, other.spanId) || compareNumbers(numberOf(one.traceId), numberOf(other.traceId)))

/** These are read in several pages: one with both bounds, and one without. */
const PAGED: readonly (Window | undefined)[] = WINDOWS.slice(1, 3)
const ROWS: Record<Focus, number> = { trace: 9, span: 23 }
const lists = WINDOWS.flatMap((window, atWindow) =>
  ORDERS.map((order, atOrder) => ({ window, order, atWindow, atOrder })),
)
const limitOf = (focus: Focus, window: Window): number => (PAGED.includes(window) ? ROWS[focus] : 500)
const PAGES_MAX = 100

describe.each(FOCUSES)('%ss in the order of time', focus => {
  test.each(lists)('$window $order', async ({ window, order, atWindow, atOrder }) => {
    const expected = rowsIn(focus, window, order).toSorted(inTime(focus))
    if (order === 'descending') expected.reverse()
    const limit = limitOf(focus, window)
    for (const [atPath, path] of [`/${focus}s/query`, '/spans/rows'].entries()) {
      if (!everyOther(FOCUSES.indexOf(focus), atWindow, atOrder, atPath)) continue
      const found: string[] = []
      let windowing: object | undefined = { ...written(window), order, limit }
      for (let page = 0; windowing && page < PAGES_MAX; page++) {
        const body: any = await project.posted(path, { focus, windowing })
        const rows: any[] = body.spans ?? body.rows ?? body.traces
        found.push(...rows.map((one: any) => (focus === 'trace' ? one.trace_id : `${one.trace_id} ${one.span_id}`)))
        windowing = body.windowing
      }
      expect(found, path).toEqual(expected.map(one => (focus === 'trace' ? one.traceId : idOf(one))))
    }
  })
})

const MEASURES = {
  duration: ({ duration }: Shown) => duration,
  tokens: ({ total }: Shown) => total.tokens,
  costs: ({ total }: Shown) => total.costs,
}

describe.each(FOCUSES)('%ss in the order of a measure', focus => {
  test.each(Object.entries(MEASURES))('%s', async (order_by, measure) => {
    for (const { window, order, atWindow, atOrder } of lists) {
      if (!everyOther(FOCUSES.indexOf(focus), Object.keys(MEASURES).indexOf(order_by), atWindow, atOrder)) continue
      const limit = limitOf(focus, window)
      const expected = rowsIn(focus, window, order).toSorted(
        (one, other) =>
          measure(other) - measure(one) ||
          other.start - one.start ||
          byBytes(other.traceId, one.traceId) ||
          byBytes(other.spanId, one.spanId),
      )
      const found: any[] = []
      let after: string | undefined
      do {
        const asked = { focus, order_by, windowing: { ...written(window), order, limit }, previews: false }
        const body = await project.posted('/spans/rows', { ...asked, ...(after && { after }) })
        found.push(...body.rows)
        after = body.after
      } while (after)
      const shown = found.map(one => ({
        id: `${one.trace_id} ${one.span_id}`,
        tokens: one.tokens ?? 0,
        duration: one.duration,
      }))
      expect(shown).toEqual(
        expected.map(one => ({ id: idOf(one), tokens: one.total.tokens, duration: one.duration / 1000 })),
      )
      for (const [at, one] of found.entries()) {
        const { total, start, session_id, user_id, name } = expected[at] as Shown
        expect(one.costs ?? 0).toBeCloseTo(Number(`${total.costs}e-12`), 11)
        expect([microsOf(one.start_time), one.session_id ?? '', one.user_id ?? '', one.span_name]).toEqual([
          start,
          session_id,
          user_id,
          name,
        ])
      }
    }
  })
})

const isError = ({ total, status }: Shown): boolean => total.errors || status === 2

/** The part of a window in which a row begins. */
const partOf = ({ oldest = 0, newest = 0 }: Window, buckets: number) => {
  const length = Math.ceil((newest - oldest) / buckets)
  return ({ start }: Sent): number => Math.min(buckets - 1, Math.max(0, Math.floor((start - oldest) / length)))
}
const startOfPart = ({ oldest = 0, newest = 0 }: Window, buckets: number, part: number): number =>
  Math.round((oldest + part * Math.ceil((newest - oldest) / buckets)) / 1000)

test('counts', async () => {
  for (const focus of FOCUSES)
    for (const order of ORDERS)
      for (const window of WINDOWS) {
        const rows = rowsIn(focus, window, order)
        const asked = { focus, windowing: { ...written(window), order } }
        const counted = { count: rows.length, errors: rows.filter(isError).length }
        expect(await project.posted('/spans/count', asked)).toEqual(counted)
        if (window.oldest === undefined || window.newest === undefined) continue
        for (const buckets of [1, 2, 7]) {
          const parts = Map.groupBy(rows, partOf(window, buckets))
          expect((await project.posted('/spans/count', { ...asked, buckets })).buckets).toEqual(
            [...parts]
              .toSorted(([one], [other]) => one - other)
              .map(([part, of]) => ({
                start: startOfPart(window, buckets, part),
                count: of.length,
                errors: of.filter(isError).length,
              })),
          )
        }
      }
})

const STATUS = ['STATUS_CODE_UNSET', 'STATUS_CODE_OK', 'STATUS_CODE_ERROR']
const COLUMNS: Record<string, (one: Shown) => string> = {
  span_name: one => one.name,
  span_type: one => one.type,
  trace_type: () => 'invocation',
  status_code: one => STATUS[one.status] as string,
  user_id: one => one.user_id,
  session_id: one => one.session_id,
  agent_id: () => '',
}

test('facets', async () => {
  for (const focus of FOCUSES)
    for (const window of WINDOWS)
      for (const values of [2, 50]) {
        const rows = rowsIn(focus, window)
        const { facets } = await project.posted('/spans/facets', { focus, windowing: written(window), values })
        expect(facets).toEqual(
          Object.entries(COLUMNS)
            .map(([field, read]) => ({
              field,
              values: [...Map.groupBy(rows, read)]
                .filter(([value]) => value !== '')
                .map(([value, of]) => ({ value, count: of.length }))
                .toSorted((one, other) => other.count - one.count || byBytes(one.value, other.value))
                .slice(0, values),
            }))
            .toSorted((one, other) => FACETS.indexOf(one.field) - FACETS.indexOf(other.field)),
        )
      }
})
const FACETS = ['span_type', 'trace_type', 'span_name', 'status_code', 'user_id', 'session_id', 'agent_id']

const textOf = (value: unknown): string =>
  value === undefined || value === null
    ? ''
    : typeof value === 'string'
      ? value
      : JSON.stringify(value).replace('e+', 'e')

const GROUPED: Record<string, (one: Shown) => string> = {
  ...COLUMNS,
  'odd.value': one => textOf(one.odd),
  application: one => one.application ?? '',
  environment: one => one.environment ?? '',
  'ag.references.application.slug': one => one.application ?? '',
}

/** The value at a share of the sorted durations, in milliseconds. */
function quantile(rows: readonly Shown[], level: number): number {
  const sorted = rows
    .map(({ duration }) => duration)
    .filter(Boolean)
    .toSorted((one, other) => one - other)
  return (sorted[Math.floor(level * sorted.length)] ?? 0) / 1000
}

interface Sums {
  tokens(one: Shown): number
  costs(one: Shown): number
}
const SUMS: Record<string, Sums> = {
  total: { tokens: one => one.total.tokens, costs: one => one.total.costs },
  own: { tokens: one => ownOf(one).tokens, costs: one => ownOf(one).costs },
  sent: { tokens: one => one.tokens ?? 0, costs: one => one.costs ?? 0 },
}

function groupOf(rows: readonly Shown[], { tokens, costs }: Sums) {
  const add = (of: (one: Shown) => number): number => rows.reduce((sum, one) => sum + of(one), 0)
  return {
    count: rows.length,
    errors: rows.filter(isError).length,
    tokens: add(tokens),
    costs: add(costs),
    p50: quantile(rows, 0.5),
    p95: quantile(rows, 0.95),
    first: Math.min(...rows.map(({ start }) => start)),
    last: Math.max(...rows.map(({ start }) => start)),
    ended: Math.max(...rows.map(({ start, duration }) => start + duration)),
  }
}
const GROUP_ORDERS = ['count', 'errors', 'tokens', 'costs', 'p50', 'p95', 'last'] as const
type Group = ReturnType<typeof groupOf>

/** A group of a response, in the same form. */
const readGroup = (group: any): Group & { value: string } => ({
  value: group.value ?? '',
  count: group.count,
  errors: group.errors ?? 0,
  tokens: group.tokens ?? 0,
  costs: Math.round((group.costs ?? 0) * 1e12),
  p50: group.p50 ?? 0,
  p95: group.p95 ?? 0,
  first: microsOf(group.first),
  last: microsOf(group.last),
  ended: microsOf(group.ended),
})

const near = (group: Group) => ({ ...group, costs: expect.closeTo(group.costs, -3) })

/** The rows that are added up: of traces all spans if it is their own usage. */
function addedUp(focus: Focus, window: Window, amounts: string): Shown[] {
  const rows = rowsIn(focus, window)
  if (focus === 'span' || amounts === 'total') return rows
  return spans.filter(({ traceId }) => rows.some(head => head.traceId === traceId))
}

const AMOUNTS = ['total', 'own']

const usesModel = ({ tokens = 0, costs = 0, type }: Sent): boolean => tokens !== 0 || costs !== 0 || type === 'chat'

describe.each(FOCUSES)('groups of %ss', focus => {
  test.each(AMOUNTS)('%s', async amounts => {
    const sums = SUMS[amounts] as Sums
    for (const [atWindow, window] of WINDOWS.entries()) {
      const asked = { focus, amounts, windowing: written(window) }
      const rows = addedUp(focus, window, amounts)
      const ask = async (body: object) => (await project.posted('/spans/groups', { ...asked, ...body })).groups
      expect((await ask({})).map(readGroup)).toEqual([{ ...near(groupOf(rows, sums)), value: '' }])
      const columns = Object.entries({ ...GROUPED, model: (one: Shown) => one.model ?? '' })
      for (const [atColumn, [by, read]] of columns.entries()) {
        if (!everyOther(FOCUSES.indexOf(focus), AMOUNTS.indexOf(amounts), atWindow, atColumn)) continue
        const counted = by === 'model' ? rows.filter(usesModel) : rows
        const groups = [...Map.groupBy(counted, read)].map(([value, of]) => ({ value, ...groupOf(of, sums) }))
        const order_by = pick(GROUP_ORDERS)
        const [count_min, values] = [1 + random(4), 1 + random(20)]
        const expected = groups
          .filter(({ count }) => count >= count_min)
          .toSorted((one, other) => other[order_by] - one[order_by] || byBytes(one.value, other.value))
          .slice(0, values)
        const found = await ask({ by, order_by, count_min, values })
        expect(found.map(readGroup), `${by} ${order_by}`).toEqual(
          expected.map(one => ({ ...near(one), value: one.value })),
        )
      }
      if (window.oldest === undefined || window.newest === undefined) continue
      for (const buckets of [1, 3, 10]) {
        const parts = [...Map.groupBy(rows, partOf(window, buckets))].toSorted(([one], [other]) => one - other)
        const found = await ask({ buckets })
        expect(found.map((one: any) => ({ ...readGroup(one), start: one.start }))).toEqual(
          parts.map(([part, of]) => ({
            ...near(groupOf(of, sums)),
            value: '',
            start: startOfPart(window, buckets, part),
          })),
        )
      }
    }
  })
})

describe('sessions and users', () => {
  const cases = (['session', 'user'] as const).flatMap(actor =>
    [true, false].flatMap(realtime => WINDOWS.map(window => ({ actor, realtime, window }))),
  )
  test.each(cases)('%j', async ({ actor, realtime, window }) => {
    const place = [actor === 'user', realtime].map(Number)
    for (const [atOrder, order] of ORDERS.entries()) {
      const rows = spans.filter(one => one[`${actor}_id`] !== '').filter(isIn(window, order === 'ascending'))
      const expected = [...Map.groupBy(rows, one => one[`${actor}_id`])]
        .map(([id, of]) => ({
          id,
          at: of.map(({ start }) => start).reduce((a, b) => Math[realtime ? 'max' : 'min'](a, b)),
        }))
        .toSorted((one, other) => one.at - other.at || byBytes(one.id, other.id))
        .map(({ id }) => id)
      if (order === 'descending') expected.reverse()
      for (const [atLimit, limit] of [2, 100].entries()) {
        if (!everyOther(...place, WINDOWS.indexOf(window), atOrder, atLimit)) continue
        const found: string[] = []
        let windowing: object | undefined = { ...written(window), order, limit }
        for (let page = 0; windowing && page < PAGES_MAX; page++) {
          const body: any = await project.posted(`/spans/${actor}s/query`, { realtime, windowing })
          found.push(...(body.session_ids ?? body.user_ids))
          windowing = body.windowing
        }
        expect(found, `${order} ${limit}`).toEqual(expected)
      }
    }
  })
})

const amountOf = (of: (one: Shown) => number) => (one: Shown) => of(one) || undefined
const MEASURED: Record<string, (one: Shown) => unknown> = {
  'odd.value': one => one.odd,
  'ag.metrics.tokens.cumulative.total': amountOf(one => one.total.tokens),
  'ag.metrics.duration.cumulative': amountOf(one => one.duration / 1000),
  'ag.session.id': one => one.session_id || undefined,
  'ag.type.span': one => one.type,
  'ag.references.application.slug': one => one.application,
}
const TYPES = [
  'numeric/continuous',
  'numeric/discrete',
  'binary',
  'categorical/single',
  'categorical/multiple',
  'string',
  'json',
]

/** Numbers are equal if they differ by rounding alone. */
const rounded = (value: any): any => {
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? value : expect.closeTo(value, 9 - Math.ceil(Math.log10(Math.abs(value))))
  if (Array.isArray(value)) return value.map(rounded)
  if (!value || typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, rounded(one)]))
}

test('analytics', async () => {
  const window = { oldest: START, newest: START + 10 * MINUTE }
  const allOptions = [{}, { bins: 4 }, { bins: 3, edge: false }, { vmin: 1, vmax: 6 }]
  for (const [atInterval, interval] of [10, 1].entries())
    for (const [atType, type] of TYPES.entries())
      for (const [atOptions, options] of allOptions.entries()) {
        if (!everyOther(atInterval, atType, atOptions)) continue
        const specs = Object.keys(MEASURED).map(path => ({ type, path, ...options }))
        const body = await project.posted('/spans/analytics/query', { ...written(window), interval, specs })
        const parts = Map.groupBy(rowsIn('trace', window), ({ start }) =>
          Math.floor((start - window.oldest) / (interval * MINUTE)),
        )
        const expected = [...parts]
          .toSorted(([one], [other]) => one - other)
          .map(([part, of]) => ({
            timestamp: window.oldest + part * interval * MINUTE,
            interval,
            metrics: Object.fromEntries(
              Object.entries(MEASURED).flatMap(([path, read]) => {
                const values = of.map(read).filter(value => value !== undefined) as any[]
                const statistics = statisticsOracle(type, values, options)
                return statistics === undefined ? [] : [[`attributes.${path}`, statistics]]
              }),
            ),
          }))
          .filter(({ metrics }) => Object.keys(metrics).length > 0)
        const found = body.buckets.map((one: any) => ({ ...one, timestamp: microsOf(one.timestamp) }))
        expect(found, `${interval} ${type} ${JSON.stringify(options)}`).toEqual(rounded(expected))
      }
})

test('totals', async () => {
  const window = { oldest: START, newest: START + 10 * MINUTE }
  for (const focus of FOCUSES)
    for (const interval of [10, 4]) {
      const body = await project.posted('/tracing/spans/analytics', { focus, ...written(window), interval })
      const rows = rowsIn(focus, window)
      const sums = SUMS[focus === 'trace' ? 'total' : 'sent'] as Sums
      const totals = (of: readonly Shown[]) => {
        const sum = (amount: (one: Shown) => number): number | undefined => {
          const values = of.map(amount).filter(Boolean)
          return of.length === 0 || values.length > 0 ? values.reduce((a, b) => a + b, 0) : undefined
        }
        return {
          count: of.length,
          duration: sum(({ duration }) => duration / 1000),
          costs: sum(one => sums.costs(one) / 1e12),
          tokens: sum(sums.tokens),
        }
      }
      const expected = Array.from({ length: Math.ceil(10 / interval) }, (_, part) => {
        const of = rows.filter(({ start }) => Math.floor((start - window.oldest) / (interval * MINUTE)) === part)
        return {
          timestamp: window.oldest + part * interval * MINUTE,
          total: totals(of),
          errors: totals(of.filter(({ hasException }) => hasException)),
        }
      })
      const found = body.buckets.map(({ timestamp, total, errors }: any) => ({
        timestamp: microsOf(timestamp),
        total,
        errors,
      }))
      expect(found, `${focus} ${interval}`).toEqual(rounded(expected))
    }
})
