import { hash } from 'node:crypto'
import {
  type Derived,
  type Micros,
  measureSpan,
  microsNow,
  NIL_UUID,
  NO_AMOUNTS,
  type Span,
  type TraceId,
  type TraceNode,
  type Uuid,
} from '@spanhouse/model'
import {
  CONTENT_COLUMNS,
  CONTENT_HASH_BYTES,
  DERIVED_COLUMNS,
  LIFECYCLE_COLUMNS,
  type Lifecycle,
  OWN_COLUMNS,
  putAll,
  SEARCH_COLUMNS,
} from './columns.ts'
import type { TraceDeletion } from './deletions.ts'
import { RowBuffer } from './row-buffer.ts'
import type { StoredNode, Version } from './trace-memory.ts'

/** Who sent a span, and when it was accepted: of two versions of a span the later accepted one is kept. */
export interface Sender {
  project_id: Uuid
  user_id: Uuid
  accepted_at: Micros
}

/** One version of a span as it came off the stream. */
export interface IncomingSpan extends Sender {
  span: Span
}

/** What the writer needs to know of a span beside its row. */
export interface BatchedSpan {
  sender: Sender
  trace_id: TraceId
  /** What the writer will keep of it. */
  node: StoredNode
  /** Where its row stands in the batch's bytes. */
  from: number
  to: number
}

/** Named one by one: an object that is spread has its last members in a second one, and there are 150,000 of these. */
const newNode = (measured: TraceNode, content_hash: string, version: Version): StoredNode => ({
  span_id: measured.span_id,
  parent_id: measured.parent_id,
  start_time: measured.start_time,
  own: measured.own,
  claimed: measured.claimed,
  declared_trace_type: measured.declared_trace_type,
  is_trace_type_explicit: measured.is_trace_type_explicit,
  repeats_usage: measured.repeats_usage,
  is_call: measured.is_call,
  derived: NOT_DERIVED,
  content_hash,
  version,
})

/** Stands in a node until its batch is stored. */
const NOT_DERIVED: Derived = { cumulative: [], restated: 'none', trace_type: 'unknown', is_trace_head: false }

/** The columns that are known only when the batch is stored. They stand last in a row and have the same length in all. */
const LATE_BYTES = lateBytes()

function lateBytes(): number {
  const row = new RowBuffer()
  const ids = { project_id: NIL_UUID, created_by_id: NIL_UUID, updated_by_id: NIL_UUID }
  const times = { created_at: 0, updated_at: 0, accepted_at: 0 }
  const content_hash = ' '.repeat(CONTENT_HASH_BYTES)
  putLate(row, { ...ids, ...times, content_hash, writer_run: 0 }, { ...NOT_DERIVED, cumulative: NO_AMOUNTS })
  return row.length
}

function putLate(row: RowBuffer, lifecycle: Lifecycle, derived: Derived): void {
  putAll(row, LIFECYCLE_COLUMNS, lifecycle)
  putAll(row, DERIVED_COLUMNS, derived)
}

/**
 * Spans on their way into the store, each as the bytes of a row and a node of its trace. A span is taken apart the moment
 * it comes and is garbage at once: kept until the batch is full, thousands of them survive two collections each, which
 * cost as much time as decoding them. The columns that follow from its trace are put in when the batch is stored, and the
 * bytes then go to the engine as they are. A batch can be used again when it is stored.
 */
export class SpanBatch {
  readonly spans: BatchedSpan[] = []
  /** Where they stand among the spans does not matter: what was accepted when decides. */
  readonly deletions: TraceDeletion[] = []
  readonly #rows = new RowBuffer()
  #sender: Sender | undefined
  #version: Version | undefined

  static of(spans: Iterable<IncomingSpan>): SpanBatch {
    const batch = new SpanBatch()
    for (const { span, ...sender } of spans) batch.add(sender, span)
    return batch
  }

  add(sender: Sender, span: Span): void {
    const from = this.#rows.length
    putAll(this.#rows, CONTENT_COLUMNS, span)
    const content = this.#rows.slice(from, this.#rows.length)
    const content_hash = hash('sha1', content, 'binary').slice(0, CONTENT_HASH_BYTES)
    putAll(this.#rows, SEARCH_COLUMNS, span)
    const node = newNode(measureSpan(span), content_hash, this.#versionOf(sender))
    putAll(this.#rows, OWN_COLUMNS, node.own)
    const to = this.#rows.skip(LATE_BYTES)
    // Spans of a trace mostly come one after the other: one text for the id of all of them.
    const before = this.spans.at(-1)?.trace_id
    const trace_id = before === span.trace_id ? before : span.trace_id
    this.spans.push({ sender, trace_id, node, from, to })
  }

  /** As if each span were new. */
  #versionOf(sender: Sender): Version {
    if (this.#sender !== sender) {
      const { accepted_at, user_id } = sender
      this.#version = { accepted_at, created_at: microsNow(), created_by_id: user_id }
      this.#sender = sender
    }
    return this.#version as Version
  }

  /** Puts in what was not known when the span came. */
  complete({ to }: BatchedSpan, lifecycle: Lifecycle, derived: Derived): void {
    const { length } = this.#rows
    this.#rows.moveTo(to - LATE_BYTES)
    putLate(this.#rows, lifecycle, derived)
    this.#rows.moveTo(length)
  }

  /** The row of one of its spans; valid until the next one is added. */
  rowOf({ from, to }: BatchedSpan): Buffer {
    return this.#rows.slice(from, to)
  }

  /** The rows of these of its spans, one after the other; valid until the next one is added. */
  rowsOf(spans: readonly BatchedSpan[]): Buffer {
    // Hardly ever has a batch spans that are not new.
    if (spans.length === this.spans.length) return this.#rows.slice(0, this.#rows.length)
    return Buffer.concat(spans.map(span => this.rowOf(span)))
  }

  /** Takes back all but the first `count` spans; with 0 the deletions too. */
  truncate(count: number): void {
    if (count === 0) this.deletions.length = 0
    const first = this.spans[count]
    if (!first) return
    this.#rows.moveTo(first.from)
    this.spans.length = count
  }
}
