import type { Micros, SpanId, Uuid } from '@spanhouse/model'
import { secondsText } from '@spanhouse/query'
import type { Engine } from '../engine/engine.ts'
import { NOT_FENCED } from './fence.ts'
import { type TracePlace, traceKey } from './trace-memory.ts'

/** The deletion of everything in a trace that was accepted up to a time. Later spans are stored normally. */
export interface TraceDeletion extends TracePlace {
  /** The id by which {@link deletedSpans} finds it. */
  id: Uuid
  deleted_at: Micros
}

/** A deletion and the spans that it removes, including those in the same batch. */
export interface PlannedDeletion {
  deletion: TraceDeletion
  span_ids: SpanId[]
}

const ROWS_PER_STATEMENT = 1_000
const TRACES_PER_STATEMENT = 2_500

const NOTE = `
INSERT INTO deleted_traces (project_id, trace_id, deleted_at, deletion_id, span_ids, is_done)
SELECT t.1, toFixedString(unhex(t.2), 16), t.3, t.4, arrayMap(x -> toFixedString(unhex(x), 8), t.5), {is_done:Bool}
FROM (SELECT arrayJoin(arrayZip({projects:Array(UUID)}, {traces:Array(String)}, {times:Array(DateTime64(6, 'UTC'))},
  {ids:Array(UUID)}, {spans:Array(Array(String))})) AS t)
WHERE ${NOT_FENCED}`

/** Records that these deletions have started (from then on nothing older of their traces is stored) or are done. */
export async function noteDeletions(
  engine: Engine,
  planned: readonly PlannedDeletion[],
  is_done: boolean,
): Promise<void> {
  for (let at = 0; at < planned.length; at += ROWS_PER_STATEMENT) {
    const some = planned.slice(at, at + ROWS_PER_STATEMENT)
    const params = {
      projects: some.map(({ deletion }) => deletion.project_id),
      traces: some.map(({ deletion }) => deletion.trace_id),
      times: some.map(({ deletion }) => secondsText(deletion.deleted_at)),
      ids: some.map(({ deletion }) => deletion.id),
      spans: some.map(({ span_ids }) => span_ids),
      is_done,
      run: engine.run ?? 0,
    }
    await engine.command({ text: NOTE, params })
  }
}

const LOOK_UP = `
SELECT project_id, lower(hex(trace_id)) AS trace_id, max(toUnixTimestamp64Micro(deleted_at)) AS deleted_at
FROM deleted_traces AS d
WHERE d.trace_id IN (SELECT toFixedString(unhex(arrayJoin({traces:Array(String)})), 16))
GROUP BY d.project_id, d.trace_id`

/** The last deletion time of each of the traces that was deleted, by {@link traceKey}. */
export async function lookUpDeletions(engine: Engine, traces: readonly TracePlace[]): Promise<Map<string, Micros>> {
  const found = new Map<string, Micros>()
  const ids = [...new Set(traces.map(({ trace_id }) => trace_id))]
  for (let at = 0; at < ids.length; at += TRACES_PER_STATEMENT) {
    const params = { traces: ids.slice(at, at + TRACES_PER_STATEMENT) }
    const rows = await engine.rows<TracePlace & { deleted_at: Micros }>({ text: LOOK_UP, params })
    for (const { project_id, trace_id, deleted_at } of rows) found.set(traceKey(project_id, trace_id), deleted_at)
  }
  return found
}

const ACCEPTED = `
SELECT toUnixTimestamp64Micro(max(accepted_at)) AS accepted_at FROM spans
PREWHERE project_id = {project_id:UUID} AND trace_id = toFixedString(unhex({trace_id:String}), 16)`

/** The acceptance time of the latest stored version of a span of the trace; 0 if none is stored. */
export async function latestAccepted(engine: Engine, { project_id, trace_id }: TracePlace): Promise<Micros> {
  const [row] = await engine.rows<{ accepted_at: Micros }>({ text: ACCEPTED, params: { project_id, trace_id } })
  return row?.accepted_at ?? 0
}

const DELETED = `
SELECT arrayMap(x -> lower(hex(x)), groupUniqArrayArray(span_ids)) AS span_ids, max(is_done) AS is_done
FROM deleted_traces
WHERE trace_id = toFixedString(unhex({trace_id:String}), 16) AND project_id = {project_id:UUID} AND deletion_id = {id:UUID}`

/** The spans that a deletion removed; null until it has been carried out. */
export async function deletedSpans(
  engine: Engine,
  { project_id, trace_id, id }: TraceDeletion,
): Promise<SpanId[] | null> {
  const params = { project_id, trace_id, id }
  const [found] = await engine.rows<{ span_ids: SpanId[]; is_done: boolean | 0 | 1 }>({ text: DELETED, params })
  return found?.is_done ? found.span_ids : null
}
