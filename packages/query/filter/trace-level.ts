import type { Condition, Filter } from './filter.ts'

/**
 * Splits a filter for traces into parts that hold for all spans of a trace or for none, and parts that must hold for
 * one span. Together they are equivalent: "one span satisfies A and B" is "the trace satisfies A, and one of its spans
 * B" if A is about the trace.
 */
export function splitFilter(filter: Filter | undefined): { ofTrace: Filter[]; ofSpan: Filter[] } {
  const parts = filter === undefined ? [] : conjunctsOf(filter)
  return { ofTrace: parts.filter(isOfTrace), ofSpan: parts.filter(part => !isOfTrace(part)) }
}

/** The conjuncts of a filter. */
export const conjunctsOf = (filter: Filter): Filter[] =>
  filter.kind === 'group' && filter.operator === 'and' ? filter.members.flatMap(conjunctsOf) : [filter]

const isOfTrace = (filter: Filter): boolean =>
  filter.kind === 'group' ? filter.members.every(isOfTrace) : isTraceCondition(filter)

/** The writer gives all spans of a trace the same type. */
const TRACE_FIELDS = ['trace_id', 'trace_type']

function isTraceCondition(condition: Condition): boolean {
  if (condition.kind === 'column') return TRACE_FIELDS.includes(condition.field)
  return condition.kind === 'attribute' && condition.path.join('.') === 'ag.type.trace'
}
