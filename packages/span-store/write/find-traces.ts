import type { Engine } from '../engine/engine.ts'
import { lookUpDeletions } from './deletions.ts'
import { lookUpTraces } from './statements.ts'
import { newTotals, type TracePlace, type TraceState, traceKey } from './trace-memory.ts'

/** Those of the traces that are stored here or were deleted here, by {@link traceKey}. */
export async function findTraces(
  engine: Engine,
  places: readonly TracePlace[],
): Promise<Map<string, Omit<TraceState, 'shard'>>> {
  const states = new Map<string, Omit<TraceState, 'shard'>>()
  if (places.length === 0) return states
  const wanted = new Map(places.map(place => [traceKey(place.project_id, place.trace_id), place]))
  const stateOf = (key: string): Omit<TraceState, 'shard'> | undefined => {
    const place = wanted.get(key)
    if (!place) return undefined
    const known = states.get(key)
    if (known) return known
    const { project_id, trace_id } = place
    const state = { project_id, trace_id, totals: newTotals(), isRootless: false, deleted_at: 0 }
    states.set(key, state)
    return state
  }
  await lookUpTraces(engine, places, ({ project_id, trace_id, node, derived }) => {
    const state = stateOf(traceKey(project_id, trace_id))
    if (!state) return
    state.totals.set(node, derived)
    if (derived.is_trace_head) state.isRootless = true
  })
  for (const [key, deleted_at] of await lookUpDeletions(engine, places)) {
    const state = stateOf(key)
    if (state) state.deleted_at = deleted_at
  }
  for (const state of states.values()) if (state.totals.hasRoot) state.isRootless = false
  return states
}
