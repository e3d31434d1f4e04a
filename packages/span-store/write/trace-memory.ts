import { type Micros, microsNow, type NodePacking, type TraceId, TraceTotals, type Uuid } from '@spanhouse/model'
import { putNode, readNode } from '../bytes/node-bytes.ts'
import { RowBuffer } from '../bytes/row-buffer.ts'
import { RowReader } from '../bytes/row-reader.ts'
import type { StoredNode, Version } from '../stored-node.ts'
import type { RowKey } from './statements.ts'

/** The key of a trace: two projects may have the same trace id. */
export interface TracePlace {
  readonly project_id: Uuid
  readonly trace_id: TraceId
}

/** The skeleton of one trace, as stored until a batch changes it. */
export interface TraceState extends TracePlace {
  totals: TraceTotals<StoredNode>
  /** No root arrived in time: the earliest span is the head of the trace. */
  isRootless: boolean
  /** Everything accepted up to this time was deleted; 0: nothing was. */
  deleted_at: Micros
  /** Which of the writer's shards has the trace. */
  shard: number
  /** Until when it need not be looked up again: see {@link knownUntil}. */
  known_until: Micros
  /** Rows that have expired and are not deleted yet. They are not among the totals. */
  expired: readonly RowKey[]
}

/** The stored form of a trace in memory: most traces are never used again. */
export interface KeptTrace {
  /**
   * The nodes with their versions, one character per byte; totals are derived from them. Large traces, which nearly
   * every batch extends, are kept with their totals: each of their nodes is packed.
   */
  readonly nodes: string | TraceTotals<StoredNode>
  readonly spans: number
  readonly isRootless: boolean
  readonly deleted_at: Micros
  readonly shard: number
  readonly known_until: Micros
}

const HOUR = 3_600_000_000

/** Less than the shortest time for which spans are kept, a day: ClickHouse has another clock. */
const KEPT_MICROS_MIN = 23 * HOUR

/** A trace that goes on for days is not looked up more often. */
const LOOK_UP_EVERY_MICROS = HOUR / 6

/**
 * Until when a trace that is in the store as it is in memory remains so: spans expire, in the store alone. `oldest`:
 * when the first of its spans was stored. A span that has expired since would be taken for known when it is sent again.
 */
export const knownUntil = (oldest: Micros, now: Micros): Micros =>
  Math.max(oldest + KEPT_MICROS_MIN, now + LOOK_UP_EVERY_MICROS)

const PACKED_SPANS_MAX = 1_000

/** Reused for each trace, or node. */
const packed = new RowBuffer(64 * 1024)

const PACKING: NodePacking<StoredNode> = {
  pack: node => packNodes([node]),
  unpack: characters => readStored(new RowReader(Buffer.from(characters, 'latin1'))),
}

/** Of a trace without spans. */
export const newTotals = (): TraceTotals<StoredNode> => new TraceTotals(PACKING)

/** The trace must not be used afterwards. */
export function keepTrace({ totals, isRootless, deleted_at, shard, known_until }: TraceState): KeptTrace {
  const others = { spans: totals.size, isRootless, deleted_at, shard, known_until }
  if (totals.size <= PACKED_SPANS_MAX) return { nodes: packNodes(totals.values()), ...others }
  totals.pack()
  return { nodes: totals, ...others }
}

function packNodes(nodes: Iterable<StoredNode>): string {
  packed.moveTo(0)
  for (const node of nodes) {
    putVersion(packed, node.version)
    putNode(packed, node, node.version_hash)
  }
  return packed.slice(0, packed.length).toString('latin1')
}

function unpackNodes(characters: string, isRootless: boolean): TraceTotals<StoredNode> {
  const row = new RowReader(Buffer.from(characters, 'latin1'))
  const totals = newTotals()
  while (!row.isAtEnd) totals.set(readStored(row))
  totals.settle(isRootless)
  return totals
}

const readStored = (row: RowReader): StoredNode => readNode(row, readVersion(row))

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

/** A trace of more than this share of all spans has a place of its own. */
const LARGE_SHARE = 0.5
/** It is forgotten when this many others were kept since it was last used. */
const OTHERS_MAX = 10_000

/**
 * The most recently written traces: up to `spansMax` spans, of which the least recently used are evicted first. Besides
 * them one trace of any size: of those with more than half as many spans, the one that was used last. A trace that is
 * not here may still be stored: the writer then queries the store. So a large trace that gave way to others would be
 * read from the store again for each batch that extends it.
 */
export class TraceMemory {
  readonly #traces = new Map<string, KeptTrace>()
  readonly #spansMax: number
  #spans = 0
  #large: { readonly key: string; readonly trace: KeptTrace; othersSince: number } | undefined

  constructor(spansMax: number) {
    this.#spansMax = spansMax
  }

  get spans(): number {
    return this.#spans + (this.#large?.trace.spans ?? 0)
  }

  /**
   * Takes out the trace in its latest state, by its {@link traceKey}; it must be put back once stored. A large trace is
   * removed until then, because it is modified in place. Undefined also if some of its spans may have expired.
   */
  get(key: string, { project_id, trace_id }: TracePlace): TraceState | undefined {
    const kept = this.#large?.key === key ? this.#large.trace : this.#traces.get(key)
    if (!kept) return undefined
    const { nodes, isRootless, deleted_at, shard, known_until } = kept
    const isPacked = typeof nodes === 'string'
    const isKnown = microsNow() < known_until
    if (!isPacked || !isKnown) this.forget(key)
    if (!isKnown) return undefined
    const totals = isPacked ? unpackNodes(nodes, isRootless) : nodes
    return { project_id, trace_id, totals, isRootless, deleted_at, shard, known_until, expired: [] }
  }

  /** Keeps the new state of the trace, by its {@link traceKey}, as the most recently used. */
  put(key: string, trace: KeptTrace): void {
    this.forget(key)
    if (trace.spans > this.#spansMax * LARGE_SHARE) {
      this.#large = { key, trace, othersSince: 0 }
      return
    }
    if (this.#large && ++this.#large.othersSince > OTHERS_MAX) this.#large = undefined
    this.#traces.set(key, trace)
    this.#spans += trace.spans
    if (this.#spans > this.#spansMax) this.#forgetOldest(key)
  }

  /** Evicts a twentieth at once: a Map iterates over the slots of deleted entries until it is rehashed. */
  #forgetOldest(kept: string): void {
    for (const oldest of this.#traces.keys()) {
      if (this.#spans <= this.#spansMax * 0.95 || oldest === kept) return
      this.forget(oldest)
    }
  }

  forget(key: string): void {
    if (this.#large?.key === key) this.#large = undefined
    const kept = this.#traces.get(key)
    if (!kept) return
    this.#traces.delete(key)
    this.#spans -= kept.spans
  }
}
