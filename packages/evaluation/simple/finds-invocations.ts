import { isJsonObject, type JsonObject } from '@spanhouse/model'

/** Whether the top level of a saved query's filter asks for invocations only. */
export function findsInvocations(data: JsonObject | null): boolean {
  const { conditions } = isJsonObject(data?.filtering) ? data.filtering : {}
  return (
    Array.isArray(conditions) &&
    conditions.some(
      one =>
        isJsonObject(one) &&
        one.field === 'trace_type' &&
        (one.operator ?? 'is') === 'is' &&
        one.value === 'invocation',
    )
  )
}
