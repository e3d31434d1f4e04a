import type { Micros } from '@spanhouse/model'
import type { Focus } from '../position.ts'
import { allOf, anyOf, count, dateTime, type Sql, sql, text, unsigned } from '../sql.ts'
import { parseSpanCursor, TRACE_NUMBER } from './cursor.ts'
import type { Order, Windowing } from './windowing.ts'

type Bound = 'after' | 'from' | 'before' | 'upTo'
const BOUNDS: Record<Bound, Sql> = { after: sql`>`, from: sql`>=`, before: sql`<`, upTo: sql`<=` }

/**
 * Whether the time bounds are inclusive. The bound at which a page begins is replaced by the cursor, if there is one.
 */
const INCLUSION: Record<Focus, Record<Order, { oldest: Bound; newest: Bound }>> = {
  span: { descending: { oldest: 'from', newest: 'before' }, ascending: { oldest: 'after', newest: 'upTo' } },
  trace: { descending: { oldest: 'from', newest: 'before' }, ascending: { oldest: 'from', newest: 'before' } },
}

const BEGINNING: Record<Order, 'oldest' | 'newest'> = { descending: 'newest', ascending: 'oldest' }

/** The conditions of a windowing on the rows that it orders: spans, or the heads of traces. */
export function compileBounds(windowing: Windowing, focus: Focus): Sql[] {
  const { order, next } = windowing
  const sides = ['oldest', 'newest'] as const
  const bounds = sides.map(side => {
    const time = windowing[side]
    if (time === undefined) return undefined
    if (next !== undefined && side === BEGINNING[order]) return beyondCursor(time, next, order, focus)
    return compareTime(INCLUSION[focus][order][side], time)
  })
  return [...bounds.filter(bound => bound !== undefined), ...compileSample(windowing.rate)]
}

const compareTime = (bound: Bound, time: Micros): Sql => sql`start_time ${BOUNDS[bound]} ${dateTime(time)}`

/** Beyond (time, id) in the direction of the order. The time alone comes first, for the primary key. */
function beyondCursor(time: Micros, next: string, order: Order, focus: Focus): Sql {
  const [strict, inclusive] = order === 'descending' ? (['before', 'upTo'] as const) : (['after', 'from'] as const)
  const isBeyond = focus === 'trace' ? beyondTrace(next, BOUNDS[strict]) : beyondSpan(next, BOUNDS[strict])
  return allOf([compareTime(inclusive, time), anyOf([compareTime(strict, time), isBeyond])])
}

const beyondTrace = (next: string, beyond: Sql): Sql => sql`trace_id ${beyond} toFixedString(unhex(${text(next)}), 16)`

function beyondSpan(next: string, beyond: Sql): Sql {
  const { spanId, traceNumber } = parseSpanCursor(next)
  const id = sql`toFixedString(unhex(${text(spanId)}), 8)`
  const isBeyond = sql`span_id ${beyond} ${id}`
  if (traceNumber === undefined) return isBeyond
  return anyOf([isBeyond, allOf([sql`span_id = ${id}`, sql`${TRACE_NUMBER} ${beyond} ${unsigned(traceNumber)}`])])
}

const DIRECTION: Record<Order, Sql> = { descending: sql`DESC`, ascending: sql`ASC` }

export const compileDirection = (order: Order): Sql => DIRECTION[order]

export function compileOrder(order: Order, focus: Focus): Sql {
  const direction = DIRECTION[order]
  if (focus === 'trace') return sql`start_time ${direction}, trace_id ${direction}`
  return sql`start_time ${direction}, span_id ${direction}, ${TRACE_NUMBER} ${direction}`
}

/**
 * A trace is kept if the first 32 bits of its id, modulo 100, are below the whole percent of the rate: the same traces
 * in every query. No condition if all are kept.
 */
function compileSample(rate: number | undefined): Sql[] {
  // 0.29 * 100 is 28.999999999999996.
  const percent = rate === undefined ? 100 : Math.floor(Number((rate * 100).toPrecision(15)))
  if (percent >= 100) return []
  return [sql`reinterpretAsUInt32(reverse(substring(trace_id, 1, 4))) % 100 < ${count(percent)}`]
}
