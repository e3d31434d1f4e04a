import { type Micros, microsNow, nestSpans, nextTurn, Problem, type SpanLevel, type TraceId } from '@spanhouse/model'
import type { Position, SpanQuery } from '@spanhouse/query'
import {
  type Engine,
  type Holder,
  PAGE_BYTES_MAX,
  readSpansByIds,
  readTraceHeads,
  type StoredSpan,
  tracesWithHead,
} from '@spanhouse/span-store'

export interface Trace {
  trace_id: TraceId
  spans: SpanLevel<StoredSpan>
}

/** Reads spans of one project, counted while they are in memory. */
export interface Reading {
  engine: Engine
  project_id: string
  holder: Holder
}

/**
 * How long after its last span a trace without a root is hidden: clients poll for a trace until it has spans and then
 * take the first one for the root. One that was shown remains: spans that follow do not hide it again.
 */
const ROOT_WAIT: Micros = 60_000_000

/** All spans of those traces that can be shown, by trace, in no particular order. */
export async function readTraceSpans(
  reading: Reading,
  trace_ids: readonly TraceId[],
): Promise<Map<TraceId, StoredSpan[]>> {
  const groups = await readGroups(reading, trace_ids)
  const waitedSince = microsNow() - ROOT_WAIT
  const isWaiting = (group: StoredSpan[]): boolean =>
    !group.some(isRoot) && group.some(span => span.created_at >= waitedSince)
  const waiting = [...groups].filter(([, group]) => isWaiting(group)).map(([trace_id]) => trace_id)
  if (waiting.length === 0) return groups
  const shown = await tracesWithHead(reading.engine, reading.project_id, waiting)
  for (const trace_id of waiting) if (!shown.has(trace_id)) groups.delete(trace_id)
  return groups
}

async function readGroups(
  { engine, project_id, holder }: Reading,
  trace_ids: readonly TraceId[],
): Promise<Map<TraceId, StoredSpan[]>> {
  if (trace_ids.length === 0) return new Map()
  const spans = await readSpansByIds(engine, { project_id, trace_ids }, holder)
  return Map.groupBy(spans, span => span.trace_id as TraceId)
}

/** Their trees. */
export const readTraces = async (reading: Reading, trace_ids: readonly TraceId[]): Promise<Trace[]> =>
  treesOf(await readTraceSpans(reading, trace_ids))

async function treesOf(groups: ReadonlyMap<TraceId, StoredSpan[]>): Promise<Trace[]> {
  const traces: Trace[] = []
  for (const [trace_id, group] of groups) {
    traces.push({ trace_id, spans: nestSpans(group) })
    await nextTurn()
  }
  return traces
}

/** One page of traces. */
export interface TracePage {
  /** The position of each in the order of the query, including those that were deleted meanwhile. */
  found: Position[]
  traces: Trace[]
  /** Whether there were more matches, whose spans do not fit in the response. */
  isCut: boolean
}

/** The factor by which fewer traces are read if the matches exceed what one response may hold. */
const SHRINK = 8

/** The traces that match a query, in its order: as many as fit, and at least one. */
export async function findTraces(reading: Reading, query: SpanQuery<'trace'>): Promise<TracePage> {
  const heads = await readTraceHeads(reading.engine, { project_id: reading.project_id, query })
  for (let count = heads.length; ; count = Math.ceil(count / SHRINK)) {
    const room = new Room(reading.holder)
    try {
      const groups = await readGroups({ ...reading, holder: room }, idsOf(heads.slice(0, count)))
      const found = heads.slice(0, countWithin(heads.slice(0, count), groups))
      for (const { trace_id } of heads.slice(found.length)) room.release(bytesOf(groups.get(trace_id)))
      const traces = await treesOf(new Map(idsOf(found).flatMap(id => entryOf(groups, id))))
      return { found, traces, isCut: found.length < heads.length }
    } catch (error) {
      if (count <= 1 || !(error instanceof Problem && error.code === 'query_limit')) throw error
      room.release(room.bytes)
    }
  }
}

/** Records what was reserved through it, so that a failed attempt can release it. */
class Room implements Holder {
  bytes = 0
  readonly #holder: Holder

  constructor(holder: Holder) {
    this.#holder = holder
  }

  hold(bytes: number): void {
    this.#holder.hold(bytes)
    this.bytes += bytes
  }

  release(bytes: number): void {
    this.#holder.release(bytes)
    this.bytes -= bytes
  }
}

/**
 * How many of the first traces fit on a page: it ends before the trace that would exceed the limit, unless that is the
 * first.
 */
function countWithin(heads: readonly Position[], groups: ReadonlyMap<TraceId, StoredSpan[]>): number {
  let bytes = 0
  const end = heads.findIndex(({ trace_id }, at) => {
    bytes += bytesOf(groups.get(trace_id))
    return at > 0 && bytes > PAGE_BYTES_MAX
  })
  return end < 0 ? heads.length : end
}

const bytesOf = (spans: readonly StoredSpan[] = []): number => spans.reduce((sum, span) => sum + span.byteLength, 0)

const idsOf = (heads: readonly Position[]): TraceId[] => heads.map(head => head.trace_id)

const entryOf = <K, V>(map: ReadonlyMap<K, V>, key: K): [K, V][] => {
  const value = map.get(key)
  return value === undefined ? [] : [[key, value]]
}

const isRoot = (span: StoredSpan): boolean => span.parent_id === undefined
