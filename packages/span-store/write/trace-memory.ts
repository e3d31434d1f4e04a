import { type Derived, type Micros, rollUp, type SpanId, type TraceId, type Uuid } from '@spanhouse/model'
import { putNode, readNode } from '../bytes/node-bytes.ts'
import { RowBuffer } from '../bytes/row-buffer.ts'
import { RowReader } from '../bytes/row-reader.ts'
import type { StoredNode, Version } from '../stored-node.ts'

/** Which trace is meant: two projects may have the same trace id. */
export interface TracePlace {
  readonly project_id: Uuid
  readonly trace_id: TraceId
}

/** The skeleton of one trace, exactly as stored. */
export interface TraceState extends TracePlace {
  nodes: Map<SpanId, StoredNode>
  /** Given up waiting for a root: the earliest span stands for the trace. */
  isRootless: boolean
  /** What was accepted up to then was deleted; 0: nothing was. */
  deleted_at: Micros
}

/** A trace as it is kept: most are never looked at again. */
export interface KeptTrace {
  /**
   * Each with its version, a character for each byte; their totals follow from them. As they are in a large trace, to
   * which nearly every batch adds.
   */
  readonly nodes: string | Map<SpanId, StoredNode>
  readonly spans: number
  readonly isRootless: boolean
  readonly deleted_at: Micros
}

const PACKED_SPANS_MAX = 1_000

/** Used again for each trace. */
const packed = new RowBuffer(64 * 1024)

/** The trace must not be used afterwards. `derived`: its totals, as they will be stored. */
export function keepTrace(
  { nodes, isRootless, deleted_at }: TraceState,
  derived: ReadonlyMap<SpanId, Derived>,
): KeptTrace {
  const spans = nodes.size
  if (spans <= PACKED_SPANS_MAX) return { nodes: packNodes(nodes), spans, isRootless, deleted_at }
  setTotals(nodes, derived)
  return { nodes, spans, isRootless, deleted_at }
}

function packNodes(nodes: ReadonlyMap<SpanId, StoredNode>): string {
  packed.moveTo(0)
  for (const node of nodes.values()) {
    putVersion(packed, node.version)
    putNode(packed, node, node.content_hash)
  }
  return packed.slice(0, packed.length).toString('latin1')
}

function unpackNodes(characters: string, isRootless: boolean): Map<SpanId, StoredNode> {
  const row = new RowReader(Buffer.from(characters, 'latin1'))
  const nodes = new Map<SpanId, StoredNode>()
  while (!row.isAtEnd) {
    const node = readNode(row, readVersion(row))
    nodes.set(node.span_id, node)
  }
  setTotals(nodes, rollUp(nodes, isRootless))
  return nodes
}

function setTotals(nodes: ReadonlyMap<SpanId, StoredNode>, derived: ReadonlyMap<SpanId, Derived>): void {
  for (const [span_id, node] of nodes) node.derived = derived.get(span_id) as Derived
}

function putVersion(row: RowBuffer, { accepted_at, created_at, created_by_id }: Version): void {
  row.int64(accepted_at)
  row.int64(created_at)
  row.uuid(created_by_id)
}

const readVersion = (row: RowReader): Version => ({
  accepted_at: row.number64(),
  created_at: row.number64(),
  created_by_id: row.uuid(),
})

export const traceKey = (project_id: Uuid, trace_id: TraceId): string => `${project_id}${trace_id}`

/**
 * The traces that were written lately, at most `spansMax` spans of them or one trace that is larger alone; the longest
 * untouched go first. What is not here may still be stored: the writer then asks the store. So a trace that was never
 * kept would be read again from the store for each batch that adds to it.
 */
export class TraceMemory {
  readonly #traces = new Map<string, KeptTrace>()
  readonly #spansMax: number
  #spans = 0

  constructor(spansMax: number) {
    this.#spansMax = spansMax
  }

  get spans(): number {
    return this.#spans
  }

  /**
   * The trace in its last state, by its {@link traceKey}, to be put again when it is stored. A large one is forgotten until
   * then: it is changed in place.
   */
  get(key: string, { project_id, trace_id }: TracePlace): TraceState | undefined {
    const kept = this.#traces.get(key)
    if (!kept) return undefined
    const { isRootless, deleted_at } = kept
    if (typeof kept.nodes === 'string')
      return { project_id, trace_id, nodes: unpackNodes(kept.nodes, isRootless), isRootless, deleted_at }
    this.forget(key)
    return { project_id, trace_id, nodes: kept.nodes, isRootless, deleted_at }
  }

  /** Keeps the trace, by its {@link traceKey}, in its new state as the one touched last. */
  put(key: string, trace: KeptTrace): void {
    this.forget(key)
    this.#traces.set(key, trace)
    this.#spans += trace.spans
    if (this.#spans > this.#spansMax) this.#forgetOldest(key)
  }

  /** A twentieth at once: a map goes over the places of those that went before until it is made anew. */
  #forgetOldest(kept: string): void {
    for (const oldest of this.#traces.keys()) {
      if (this.#spans <= this.#spansMax * 0.95 || oldest === kept) return
      this.forget(oldest)
    }
  }

  forget(key: string): void {
    const kept = this.#traces.get(key)
    if (!kept) return
    this.#traces.delete(key)
    this.#spans -= kept.spans
  }
}
