import type { World } from '../world.ts'
import { hostileText, hostileValue, lengthOf } from './hostile.ts'
import type { Random } from './random.ts'
import { raw, toJsonText } from './raw-json.ts'

/** Fields that a condition can name, and some that none can. */
const FIELDS = [
  ...[
    'trace_id',
    'span_id',
    'parent_id',
    'span_name',
    'span_type',
    'trace_type',
    'span_kind',
    'status_code',
    'status_message',
  ],
  ...[
    'attributes',
    'attributes.ag.metrics.tokens.cumulative.total',
    'attributes.ag.data.inputs',
    'attributes.http.route',
  ],
  ...['links', 'references', 'hashes', 'events', 'start_time', 'end_time', 'created_at', 'content', 'name', 'nothing'],
]

const OPERATORS =
  'is is_not eq neq gt lt gte lte btwn startswith endswith contains matches like in not_in has has_not exists not_exists nothing'.split(
    ' ',
  )

const KEYS = [
  'k',
  'ag.data',
  'ag.metrics.duration.cumulative',
  'ag.refs.application',
  'http.route',
  'a.0.b',
  '__proto__',
]

/** Conditions that can be asked as they are. */
const SOUND: readonly Record<string, unknown>[] = [
  { field: 'span_name', operator: 'contains', value: 'st' },
  { field: 'span_name', operator: 'like', value: '%te%' },
  { field: 'span_name', operator: 'in', value: ['step', 'call'] },
  { field: 'attributes', key: 'k', operator: 'is', value: 'v' },
  { field: 'attributes', key: 'n', operator: 'gt', value: 3 },
  { field: 'attributes', key: 'ag.metrics.tokens.cumulative.total', operator: 'gte', value: 1 },
  { field: 'start_time', operator: 'gt', value: '2020-01-01T00:00:00Z' },
  { field: 'status_code', operator: 'is', value: 'STATUS_CODE_UNSET' },
  { field: 'content', operator: 'contains', value: 'x' },
]

/** A condition; half of them are valid, the others name anything, sometimes with a hostile value. */
function condition(random: Random, world: World): Record<string, unknown> {
  if (random.chance(0.5)) return random.pick(SOUND)
  const value = random.chance(0.6)
    ? random.pick<unknown>(['step', 1, 0.5, true, '%a%', ['a', 'b'], [1, 2], random.pick(world.kept.trace ?? [''])])
    : hostileValue(random)
  return {
    field: random.pick(FIELDS),
    operator: random.pick(OPERATORS),
    ...(random.chance(0.4) && { key: random.chance(0.8) ? random.pick(KEYS) : hostileText(random) }),
    value,
    ...(random.chance(0.2) && { options: { case_sensitive: random.chance(0.5), exact_match: random.chance(0.5) } }),
  }
}

/** Conditions in groups, a few of them with hundreds of conditions. */
export function filtering(random: Random, world: World, depth = 0): Record<string, unknown> {
  const many = random.chance(0.02) ? random.between(20, 400) : random.between(1, 3)
  const operator = random.pick(['and', 'and', 'or', 'not', 'nand', 'nor'])
  return {
    operator,
    conditions: Array.from({ length: operator === 'not' && random.chance(0.9) ? 1 : many }, () =>
      depth < 4 && random.chance(0.15) ? filtering(random, world, depth + 1) : condition(random, world),
    ),
  }
}

/** Conditions that are costly to compile, to analyse or to match, of a size. */
const COSTLY: readonly ((size: number) => Record<string, unknown>)[] = [
  size => ({ field: 'span_name', operator: 'like', value: `${'%a'.repeat(size)}b` }),
  size => ({ field: 'span_name', operator: 'like', value: `${'_%'.repeat(size)}b` }),
  size => ({ field: 'span_name', operator: 'matches', value: `${'(a+)+'.repeat(Math.min(size, 60))}$` }),
  size => ({ field: 'attributes', key: 'n', operator: 'gt', value: raw('digitText', size * 100) }),
  size => ({ field: 'attributes', key: 'n', operator: 'eq', value: raw('digits', size) }),
  size => ({ field: 'attributes', key: Array(size).fill('0').join('.'), operator: 'not_in', value: ['0', '1'] }),
  size => ({ field: 'attributes', key: raw('segments', size), operator: 'in', value: raw('texts', size) }),
  size => ({ field: 'trace_id', operator: 'in', value: Array(size).fill('a'.repeat(32)) }),
  size => ({ field: 'content', operator: 'contains', value: 'a'.repeat(size) }),
]

/** More is refused for its size alone, and costs the client more than the server. */
const COSTLY_BYTES_MAX = 4_000_000

/** A filter that is costly, whatever is stored. */
export function costlyFilter(random: Random): Record<string, unknown> {
  const size = random.pick([10, 60, 140, 1000, 20_000])
  const condition = random.pick(COSTLY)(size)
  const many = Math.min(random.pick([1, 13, 117, 1000]), Math.ceil(COSTLY_BYTES_MAX / toJsonText(condition).length))
  return { operator: random.pick(['and', 'or', 'not']), conditions: Array(many).fill(condition) }
}

const TIMES = [
  ...['2020-01-01T00:00:00Z', '2026-11-01', '2030-01-01T00:00:00+14:00', 1_770_000_000, 1_770_000_000_000, null],
]

const EDGES = [
  ...['1970-01-01', '9999-12-31T23:59:59.999999Z', '0001-01-01', '2262-04-12', -1, 0, 1e12, '1770000000000000000'],
  ...[
    raw('exponent', 999),
    raw('exponent', 308),
    raw('digits', 400),
    raw('decimals', 5_000),
    '9'.repeat(300),
    '9'.repeat(400),
  ],
]

/** A time, one in twenty at the edges or a number that is none. */
export const time = (random: Random): unknown => random.pick<unknown>(random.chance(0.05) ? EDGES : TIMES)

export const windowing = (random: Random, world: World): Record<string, unknown> => ({
  ...(random.chance(0.3) && { oldest: time(random) }),
  ...(random.chance(0.3) && { newest: time(random) }),
  ...(random.chance(0.2) && { next: random.pick([random.uuid(), ...(world.kept.trace ?? [])]) }),
  ...(random.chance(0.6) && { limit: random.pick([1, 1, 2, 10, 50, 1000, 10_000, 10_001, 0, -1]) }),
  ...(random.chance(0.3) && { order: random.pick(['ascending', 'descending']) }),
  ...(random.chance(0.1) && { rate: random.pick([0, 0.5, 1, 1e-9]) }),
  ...(random.chance(0.1) && { interval: random.pick([0, 1, 60, 1440, 1e9]) }),
})

/** What analytics measure. */
export const specs = (random: Random): unknown =>
  Array.from({ length: random.chance(0.05) ? random.between(50, 500) : 1 }, () => ({
    type: random.pick([
      'numeric/continuous',
      'numeric/discrete',
      'categorical/single',
      'categorical/multiple',
      'binary',
      'string',
      '*',
      'x',
    ]),
    path: random.pick([
      'attributes.ag.metrics.duration.cumulative',
      'attributes.ag.type.span',
      'attributes.k',
      hostileText(random),
    ]),
    ...(random.chance(0.2) && { bins: random.pick([1, 10, 1e6, 0, -1]) }),
  }))

/** A question about spans or traces in one of its spellings. */
export function question(random: Random, world: World): Record<string, unknown> {
  const filter = random.chance(0.02) ? costlyFilter(random) : filtering(random, world)
  const body: Record<string, unknown> = random.chance(0.8)
    ? { filtering: filter, windowing: windowing(random, world) }
    : { filter: random.chance(0.5) ? JSON.stringify(filter) : filter, ...windowing(random, world) }
  if (random.chance(0.1)) body.specs = specs(random)
  if (random.chance(0.1)) body.focus = random.pick(['trace', 'span'])
  if (random.chance(0.05)) body.query_ref = { id: random.pick(world.kept.query ?? ['']) }
  if (random.chance(0.02)) body.rest = 'a'.repeat(lengthOf(random))
  return body
}
