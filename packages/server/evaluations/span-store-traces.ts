import { setTimeout as delay } from 'node:timers/promises'
import type { CallStatus, HashLookup, SpanPlace, StoredTrace, StoredTraces } from '@spanhouse/evaluation'
import {
  isJsonObject,
  type Json,
  type JsonObject,
  type Micros,
  microsNow,
  type SpanJson,
  type TraceId,
  type Uuid,
} from '@spanhouse/model'
import { hashOf } from '@spanhouse/otlp'
import { compileSpanQuery, nextWindowing, parseSavedQuery, parseSpanQuery, parseWindowing } from '@spanhouse/query'
import { effectiveInputs } from '@spanhouse/runtime'
import { type Engine, readSpans, readTraceHeads, SPAN_COLUMNS, type StoredSpan } from '@spanhouse/span-store'
import type { SpanStream } from '@spanhouse/span-stream'
import { isStoredUntil } from '../ingest/until-stored.ts'
import { readTraceSpans } from '../routes/tracing/whole-traces.ts'
import { plainTree } from './plain-tree.ts'

/** Traces that one statement reads, so that a batch of large ones stays within memory. */
const TRACES_MAX = 100
/** Traces that a stored query of an evaluation finds at most. */
const FOUND_TRACES_MAX = 100_000
/** Traces of one page of it. */
const PAGE_TRACES = 10_000
/** Spans that one look-up by hash reads at most, the newest first. */
const HASHED_SPANS_MAX = 10_000

/** Between two looks for traces that are not stored yet, and for how long they are looked for. */
const PAUSE_MS_MIN = 100
const PAUSE_MS_MAX = 2_000
const WAIT_MICROS_MAX = 10 * 60 * 1e6

/** What is read is passed on at once, and its size is bounded by {@link TRACES_MAX}. */
const UNCOUNTED = { hold: () => {}, release: () => {} }

/** Traces of evaluations in ClickHouse, and those still in the stream. */
export class SpanStoreTraces implements StoredTraces {
  readonly #engine: Engine
  readonly #stream: Pick<SpanStream, 'stats'>

  constructor(engine: Engine, stream: Pick<SpanStream, 'stats'>) {
    this.#engine = engine
    this.#stream = stream
  }

  async read(project_id: Uuid, trace_ids: readonly string[], signal: AbortSignal): Promise<Map<string, StoredTrace>> {
    const since = microsNow()
    const found = await this.#read(project_id, trace_ids)
    let isLast = false
    for (let pauseMs = PAUSE_MS_MIN; !isLast && found.size < trace_ids.length; pauseMs *= 2) {
      // Asked before they are read, so that what is stored between the two is found.
      isLast = await this.#isPast(since)
      if (!isLast) await delay(Math.min(pauseMs, PAUSE_MS_MAX), undefined, { signal })
      const missing = trace_ids.filter(id => !found.has(id))
      for (const [id, trace] of await this.#read(project_id, missing)) found.set(id, trace)
    }
    return found
  }

  /**
   * Whether the stream holds nothing of before, or something that it may hold for ever: what can neither be stored nor
   * moved to the dead letters, which are full.
   */
  async #isPast(since: Micros): Promise<boolean> {
    return microsNow() - since > WAIT_MICROS_MAX || (await isStoredUntil(this.#stream, since))
  }

  /** The index serves the reference: it tells granules apart by one term, but not by hundreds of hashes. */
  async findByHash(project_id: Uuid, { hashes, revision_id, countMax }: HashLookup) {
    const conditions = [
      { field: 'references', operator: 'in', value: [{ id: revision_id }] },
      { field: 'hashes', operator: 'in', value: [...hashes] },
      { field: 'parent_id', operator: 'is', value: null },
      { field: 'status_code', operator: 'is_not', value: 'STATUS_CODE_ERROR' },
    ]
    const body = { filtering: { operator: 'and', conditions }, windowing: { limit: HASHED_SPANS_MAX } }
    const statement = compileSpanQuery({ project_id, columns: SPAN_COLUMNS, query: parseSpanQuery(body, 'span') })
    const heads = await readSpans(this.#engine, statement)
    const byHash = Map.groupBy(heads, head => hashIn(head.toJSON()))
    const chosen = hashes.map(hash => [hash, (byHash.get(hash) ?? []).slice(0, countMax)] as const)
    const ids = chosen.flatMap(([, spans]) => spans.map(({ trace_id }) => trace_id))
    const traces = await this.#read(project_id, [...new Set(ids)])
    return new Map(
      chosen.map(([hash, spans]) => [hash, spans.flatMap(({ trace_id }) => successful(traces.get(trace_id)))]),
    )
  }

  async query(project_id: Uuid, saved: JsonObject): Promise<string[]> {
    const query = parseSavedQuery(saved, 'trace', { body: undefined })
    const wanted = Math.min(query.windowing.limit ?? FOUND_TRACES_MAX, FOUND_TRACES_MAX)
    const found: string[] = []
    let windowing = query.windowing
    while (found.length < wanted) {
      const page = { ...query, windowing: { ...windowing, limit: Math.min(PAGE_TRACES, wanted - found.length) } }
      const heads = await readTraceHeads(this.#engine, { project_id, query: page })
      for (const { trace_id } of heads) found.push(trace_id)
      const next = nextWindowing(page, heads)
      if (!next) break
      windowing = parseWindowing(next, 'trace', ['windowing'])
    }
    return found
  }

  hashOf(references: JsonObject, links: Readonly<Record<string, SpanPlace>>): Uuid | undefined {
    const named = Object.entries(references).map(([key, one]) => ({ ...(one as JsonObject), attributes: { key } }))
    const linked = Object.entries(links).map(([key, place]) => ({ ...place, attributes: { key } }))
    return hashOf(named, linked)?.id
  }

  async #read(project_id: Uuid, trace_ids: readonly string[]): Promise<Map<string, StoredTrace>> {
    const found = new Map<string, StoredTrace>()
    for (let from = 0; from < trace_ids.length; from += TRACES_MAX) {
      const ids = trace_ids.slice(from, from + TRACES_MAX) as TraceId[]
      const groups = await readTraceSpans({ engine: this.#engine, project_id, holder: UNCOUNTED }, ids)
      for (const [id, spans] of groups) {
        const trace = toStoredTrace(id, spans)
        if (trace) found.set(id, trace)
      }
    }
    return found
  }
}

function toStoredTrace(trace_id: string, spans: readonly StoredSpan[]): StoredTrace | undefined {
  const root = spans.find(({ parent_id }) => parent_id === undefined) ?? spans[0]
  if (!root) return undefined
  const json = root.toJSON()
  const { data } = (json.attributes as JsonObject).ag as JsonObject
  const { inputs, outputs } = isJsonObject(data) ? data : ({} as Record<string, Json | undefined>)
  return {
    place: { trace_id, span_id: root.span_id },
    inputs: isJsonObject(inputs) ? effectiveInputs({ inputs }) : undefined,
    outputs,
    failure: failureOf(json),
    trace: { trace_id, spans: plainTree(spans.map(asShown)) },
  }
}

/** Its row is converted once. */
const asShown = (span: StoredSpan) => ({
  span_id: span.span_id,
  parent_id: span.parent_id,
  span_name: span.span_name,
  start_time: span.start_time,
  toJSON: () => span.toJSON() as unknown as JsonObject,
})

/** The status that a run which failed was answered with is not stored with its trace, except for its text. */
function failureOf({ status_code, status_message }: SpanJson): CallStatus | undefined {
  if (status_code !== 'STATUS_CODE_ERROR') return undefined
  return { code: 500, message: typeof status_message === 'string' ? status_message : 'The run failed.' }
}

const hashIn = ({ hashes }: SpanJson): Uuid | undefined => (hashes as { id: Uuid }[] | undefined)?.[0]?.id

const successful = (trace: StoredTrace | undefined): StoredTrace[] => (trace && !trace.failure ? [trace] : [])
