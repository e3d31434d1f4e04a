import { type Sql, sql } from './sql.ts'

/**
 * An attribute that is a typed column as well, or instead of standing in the JSON text of the attributes.
 * A metric of zero is not written there: for most metrics that means absent; the span's own amounts (`alsoInJson`)
 * may also be an explicit zero, which only the JSON text tells.
 */
export type AttributeColumn =
  | { readonly key: string; readonly type: 'text'; readonly column: Sql }
  | {
      readonly key: string
      readonly type: 'number'
      readonly column: Sql
      readonly precision: number
      readonly scale: number
      readonly alsoInJson: boolean
    }

const text = (key: string, column: Sql): AttributeColumn => ({ key, type: 'text', column })

const milliseconds = { type: 'number', precision: 18, scale: 3 } as const
const amount = { type: 'number', precision: 18, scale: 6 } as const
const money = { type: 'number', precision: 38, scale: 15 } as const
const own = { alsoInJson: true } as const
const derived = { alsoInJson: false } as const

const ROWS: readonly AttributeColumn[] = [
  text('ag.type.trace', sql`toString(trace_type)`),
  text('ag.type.span', sql`if(is_span_type_declared, toString(span_type), '')`),
  text('ag.session.id', sql`session_id`),
  text('ag.user.id', sql`user_id`),
  text('ag.agent.id', sql`agent_id`),
  { key: 'ag.metrics.duration.cumulative', ...milliseconds, column: sql`duration_cumulative`, ...derived },
  { key: 'ag.metrics.errors.incremental', ...amount, column: sql`errors_incremental`, ...own },
  { key: 'ag.metrics.errors.cumulative', ...amount, column: sql`errors_cumulative`, ...derived },
  { key: 'ag.metrics.tokens.incremental.prompt', ...amount, column: sql`tokens_incremental_prompt`, ...own },
  { key: 'ag.metrics.tokens.incremental.completion', ...amount, column: sql`tokens_incremental_completion`, ...own },
  { key: 'ag.metrics.tokens.incremental.total', ...amount, column: sql`tokens_incremental_total`, ...own },
  { key: 'ag.metrics.tokens.cumulative.prompt', ...amount, column: sql`tokens_cumulative_prompt`, ...derived },
  { key: 'ag.metrics.tokens.cumulative.completion', ...amount, column: sql`tokens_cumulative_completion`, ...derived },
  { key: 'ag.metrics.tokens.cumulative.total', ...amount, column: sql`tokens_cumulative_total`, ...derived },
  { key: 'ag.metrics.costs.incremental.prompt', ...money, column: sql`costs_incremental_prompt`, ...own },
  { key: 'ag.metrics.costs.incremental.completion', ...money, column: sql`costs_incremental_completion`, ...own },
  { key: 'ag.metrics.costs.incremental.total', ...money, column: sql`costs_incremental_total`, ...own },
  { key: 'ag.metrics.costs.cumulative.prompt', ...money, column: sql`costs_cumulative_prompt`, ...derived },
  { key: 'ag.metrics.costs.cumulative.completion', ...money, column: sql`costs_cumulative_completion`, ...derived },
  { key: 'ag.metrics.costs.cumulative.total', ...money, column: sql`costs_cumulative_total`, ...derived },
]

/** By dotted key. */
export const ATTRIBUTE_COLUMNS: ReadonlyMap<string, AttributeColumn> = new Map(ROWS.map(row => [row.key, row]))

/** The columns that are members of this object and stand nowhere in its JSON text. */
export const derivedMembers = (key: string): readonly AttributeColumn[] =>
  ROWS.filter(row => row.type === 'number' && !row.alsoInJson && parentOf(row.key) === key)

const parentOf = (key: string): string => key.slice(0, key.lastIndexOf('.'))
