import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'

/**
 * Whether the top level of a saved query's filter asks for invocations only: in one of conditions that all have to
 * hold, or in each of those of which one has to.
 */
export function findsInvocations(data: JsonObject | null): boolean {
  const { operator, conditions } = isJsonObject(data?.filtering) ? data.filtering : {}
  if (!Array.isArray(conditions)) return false
  switch (operator ?? 'and') {
    case 'and':
      return conditions.some(asksForInvocations)
    case 'or':
      return conditions.length > 0 && conditions.every(asksForInvocations)
    default:
      return false
  }
}

const asksForInvocations = (one: Json): boolean =>
  isJsonObject(one) && one.field === 'trace_type' && (one.operator ?? 'is') === 'is' && one.value === 'invocation'
