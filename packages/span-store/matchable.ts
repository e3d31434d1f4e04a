import { isJsonObject, type Json, type JsonObject, NIL_UUID, parseJson } from '@spanhouse/model'
import type { MatchableSpan } from '@spanhouse/query'
import { endOf, type SpanRow } from './row.ts'

const LISTS = ['references', 'links', 'hashes', 'events'] as const
const NO_PARENT = '0000000000000000'

/** The attributes that are columns, and the columns. */
const COLUMNS: readonly [key: string, column: keyof SpanRow][] = [
  ['ag.type.trace', 'trace_type'],
  ['ag.session.id', 'session_id'],
  ['ag.user.id', 'user_id'],
  ['ag.agent.id', 'agent_id'],
  ['ag.metrics.duration.cumulative', 'duration_cumulative'],
  ['ag.metrics.errors.cumulative', 'errors_cumulative'],
  ...(['tokens', 'costs'] as const).flatMap(metric =>
    (['prompt', 'completion', 'total'] as const).map((part): [string, keyof SpanRow] => [
      `ag.metrics.${metric}.cumulative.${part}`,
      `${metric}_cumulative_${part}`,
    ]),
  ),
]

/** A row as filters see it in memory. */
export function toMatchable(row: SpanRow): MatchableSpan {
  const isRoot = row.parent_id === NO_PARENT
  const attributes = parseJson(row.attributes) as JsonObject & { ag: JsonObject }
  const values = COLUMNS.map(([key, column]) => [key, row[column]] as const)
  // The column has a type for every span; the attribute is there where the span was sent with one.
  const isTypeDeclared = isJsonObject(attributes.ag.type) && 'span' in attributes.ag.type
  const columns = [...values, ['ag.type.span', isTypeDeclared && row.span_type] as const].filter(([, value]) => value)
  return {
    fields: {
      ...{ trace_id: row.trace_id, span_id: row.span_id, parent_id: isRoot ? undefined : row.parent_id },
      ...{ trace_type: row.trace_type, span_type: row.span_type, span_kind: row.span_kind, span_name: row.span_name },
      ...{ status_code: row.status_code, status_message: row.status_message || undefined },
      session_id: (isRoot && row.session_id) || undefined,
      user_id: (isRoot && row.user_id) || undefined,
      agent_id: (isRoot && row.agent_id) || undefined,
      ...{ start_time: row.start_time, end_time: endOf(row) },
      ...{ created_at: row.created_at, updated_at: row.updated_at || undefined },
      created_by_id: somebody(row.created_by_id),
      updated_by_id: somebody(row.updated_by_id),
    },
    attributes,
    data: parseJson(row.data) as JsonObject,
    columns: Object.fromEntries(columns) as MatchableSpan['columns'],
    lists: Object.fromEntries(LISTS.map(name => [name, row[name] ? (parseJson(row[name]) as Json[]) : []])),
  }
}

const somebody = (id: string): string | undefined => (id === NIL_UUID ? undefined : id)
