import { microsNow } from '@spanhouse/model'
import type { Engine } from '../engine/engine.ts'
import { lookUpDeletions } from './deletions.ts'
import { lookUpTraces, type RowKey } from './statements.ts'
import { knownUntil, newTotals, type TracePlace, type TraceState, traceKey } from './trace-memory.ts'

/** A trace as one shard has it. */
interface FoundTrace extends Omit<TraceState, 'shard'> {
  expired: RowKey[]
}

/** Those of the traces that are stored here or were deleted here, by {@link traceKey}. */
export async function findTraces(engine: Engine, places: readonly TracePlace[]): Promise<Map<string, FoundTrace>> {
  const states = new Map<string, FoundTrace>()
  if (places.length === 0) return states
  const wanted = new Map(places.map(place => [traceKey(place.project_id, place.trace_id), place]))
  const now = microsNow()
  const stateOf = (key: string): FoundTrace | undefined => {
    const place = wanted.get(key)
    if (!place) return undefined
    const known = states.get(key)
    if (known) return known
    const { project_id, trace_id } = place
    const known_until = knownUntil(now, now)
    const state = {
      project_id,
      trace_id,
      totals: newTotals(),
      isRootless: false,
      deleted_at: 0,
      known_until,
      expired: [],
    }
    states.set(key, state)
    return state
  }
  await lookUpTraces(engine, places, ({ project_id, trace_id, node, derived, isExpired }) => {
    const state = stateOf(traceKey(project_id, trace_id))
    if (!state) return
    const { span_id, start_time, version } = node
    if (isExpired) {
      state.expired.push({ project_id, trace_id, span_id, start_time })
      return
    }
    state.totals.set(node, derived)
    state.known_until = Math.min(state.known_until, knownUntil(version.created_at, now))
    if (derived.is_trace_head) state.isRootless = true
  })
  for (const [key, deleted_at] of await lookUpDeletions(engine, places)) {
    const state = stateOf(key)
    if (state) state.deleted_at = deleted_at
  }
  for (const state of states.values()) if (state.totals.hasRoot) state.isRootless = false
  return states
}
