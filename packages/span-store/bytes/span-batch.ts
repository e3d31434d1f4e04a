import { hash } from 'node:crypto'
import {
  type Derived,
  type Micros,
  measureSpan,
  microsNow,
  NIL_UUID,
  type Span,
  type TraceId,
  type Uuid,
} from '@spanhouse/model'
import {
  CONTENT_COLUMNS,
  CONTENT_HASH_BYTES,
  DERIVED_COLUMNS,
  LIFECYCLE_COLUMNS,
  type Lifecycle,
  OWN_COLUMNS,
  SEARCH_COLUMNS,
} from '@spanhouse/query'
import type { StoredNode, Version } from '../stored-node.ts'
import type { TraceDeletion } from '../write/deletions.ts'
import { NOT_DERIVED, putNode, readNode } from './node-bytes.ts'
import { RowBuffer } from './row-buffer.ts'
import { putAll } from './row-columns.ts'
import { RowReader } from './row-reader.ts'

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

/** Whose a span is, and where in the batch's bytes it stands. */
export interface BatchedSpan {
  sender: Sender
  version: Version
  trace_id: TraceId
  /** Its row. */
  from: number
  to: number
  /** Its node, among the bytes of those. */
  nodeAt: number
}

/** The columns that are known only when the batch is stored. They stand last in a row and have the same length in all. */
const LATE_BYTES = lateBytes()

function lateBytes(): number {
  const row = new RowBuffer()
  const ids = { project_id: NIL_UUID, created_by_id: NIL_UUID, updated_by_id: NIL_UUID }
  const times = { created_at: 0, updated_at: 0, accepted_at: 0 }
  const content_hash = ' '.repeat(CONTENT_HASH_BYTES)
  putLate(row, { ...ids, ...times, content_hash, writer_run: 0 }, NOT_DERIVED)
  return row.length
}

function putLate(row: RowBuffer, lifecycle: Lifecycle, derived: Derived): void {
  putAll(row, LIFECYCLE_COLUMNS, lifecycle)
  putAll(row, DERIVED_COLUMNS, derived)
}

/**
 * Spans on their way into the store, each as the bytes of a row and of a node of its trace. A span is taken apart the moment
 * it comes and is garbage at once: kept until the batch is full, thousands of them survive two collections each, which
 * cost as much time as decoding them. The columns that follow from its trace are put in when the batch is stored, and the
 * bytes then go to the engine as they are. A batch can be used again when it is stored.
 */
export class SpanBatch {
  readonly spans: BatchedSpan[] = []
  /** Where they stand among the spans does not matter: what was accepted when decides. */
  readonly deletions: TraceDeletion[] = []
  readonly #rows = new RowBuffer()
  readonly #nodes = new RowBuffer()
  /** Over all nodes; undefined when one was added since. */
  #reader: RowReader | undefined
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
    const node = measureSpan(span)
    const nodeAt = this.#nodes.length
    putNode(this.#nodes, node, content_hash)
    this.#reader = undefined
    putAll(this.#rows, OWN_COLUMNS, node.own)
    const to = this.#rows.skip(LATE_BYTES)
    // Spans of a trace mostly come one after the other: one text for the id of all of them.
    const before = this.spans.at(-1)?.trace_id
    const trace_id = before === span.trace_id ? before : span.trace_id
    this.spans.push({ sender, version: this.#versionOf(sender), trace_id, from, to, nodeAt })
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

  /** The node of one of its spans: a new object each time. */
  nodeOf({ nodeAt, version }: BatchedSpan): StoredNode {
    this.#reader ??= new RowReader(this.#nodes.slice(0, this.#nodes.length))
    this.#reader.moveTo(nodeAt)
    return readNode(this.#reader, version)
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
    if (count === 0) this.#clear()
    const first = this.spans[count]
    if (!first) return
    this.#rows.moveTo(first.from)
    this.#nodes.moveTo(first.nodeAt)
    this.#reader = undefined
    this.spans.length = count
  }

  #clear(): void {
    this.deletions.length = 0
    this.spans.length = 0
    this.#rows.clear()
    this.#nodes.clear()
    this.#reader = undefined
  }
}
