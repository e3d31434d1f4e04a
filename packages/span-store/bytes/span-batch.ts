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
  BODY_COLUMNS,
  DERIVED_COLUMNS,
  HEAD_COLUMNS,
  LIFECYCLE_COLUMNS,
  type Lifecycle,
  MOVED_COLUMNS,
  OWN_COLUMNS,
  SEARCH_COLUMNS,
  storedBody,
  VERSION_HASH_BYTES,
} from '@spanhouse/query'
import type { StoredNode, Version } from '../stored-node.ts'
import type { TraceDeletion } from '../write/deletions.ts'
import { NOT_DERIVED, putNode, readNode } from './node-bytes.ts'
import { RowBuffer } from './row-buffer.ts'
import { putAll } from './row-columns.ts'
import { RowReader } from './row-reader.ts'

/** Who sent a span and when it was accepted: of two versions of a span, the one accepted later is kept. */
export interface Sender {
  project_id: Uuid
  user_id: Uuid
  accepted_at: Micros
}

/** One version of a span as read from the stream. */
export interface IncomingSpan extends Sender {
  span: Span
}

/** The owner of a span, and its position in the batch's bytes. */
export interface BatchedSpan {
  sender: Sender
  version: Version
  trace_id: TraceId
  /** The position of its row. */
  from: number
  to: number
  /** The position of its node among the bytes of the nodes. */
  nodeAt: number
  /** Its row, if that shows the session or the user of another span. */
  row?: Buffer | undefined
}

/** What is known of a row when its batch is stored. */
export interface Completion {
  lifecycle: Lifecycle
  derived: Derived
  /** The session and the user to show where they are not the span's own. */
  actors: Readonly<Record<string, string>>
}

/**
 * The columns that are known only when the batch is stored. They are last in a row and have the same length in all
 * rows.
 */
const LATE_BYTES = lateBytes()

function lateBytes(): number {
  const row = new RowBuffer()
  const ids = { project_id: NIL_UUID, created_by_id: NIL_UUID, updated_by_id: NIL_UUID }
  const times = { created_at: 0, updated_at: 0, accepted_at: 0 }
  const version_hash = ' '.repeat(VERSION_HASH_BYTES)
  putLate(row, { ...ids, ...times, version_hash, writer_run: 0 }, NOT_DERIVED)
  return row.length
}

function putLate(row: RowBuffer, lifecycle: Lifecycle, derived: Derived): void {
  putAll(row, LIFECYCLE_COLUMNS, lifecycle)
  putAll(row, DERIVED_COLUMNS, derived)
}

/**
 * Spans on their way to the store, each encoded as a row and as a node of its trace. A span is encoded as soon as it
 * arrives and is garbage at once: kept as objects until the batch is full, thousands of spans would survive two
 * collections each, which costs as much time as decoding them. The columns that depend on the span's trace are filled
 * in when the batch is stored, and the bytes are then sent to the engine unchanged. A batch can be reused once it is
 * stored.
 */
export class SpanBatch {
  readonly spans: BatchedSpan[] = []
  /** The deletions' position among the spans does not matter: the time of acceptance decides. */
  readonly deletions: TraceDeletion[] = []
  readonly #rows = new RowBuffer()
  readonly #nodes = new RowBuffer()
  /** Over all nodes; undefined if a node was added since. */
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
    putAll(this.#rows, HEAD_COLUMNS, span)
    const version_hash = this.#putBody(span, from)
    putAll(this.#rows, SEARCH_COLUMNS, span)
    const node = measureSpan(span)
    const nodeAt = this.#nodes.length
    putNode(this.#nodes, node, version_hash)
    this.#reader = undefined
    putAll(this.#rows, OWN_COLUMNS, node.own)
    const to = this.#rows.skip(LATE_BYTES)
    // Spans of a trace usually arrive consecutively: they share one text for its id.
    const before = this.spans.at(-1)?.trace_id
    const trace_id = before === span.trace_id ? before : span.trace_id
    this.spans.push({ sender, version: this.#versionOf(sender), trace_id, from, to, nodeAt })
  }

  /** Puts the body, and returns the hash of the row so far. */
  #putBody({ attributes, events, links, references, hashes }: Span, from: number): string {
    const stored = storedBody(attributes)
    const body = { stored, events, links, references, hashes }
    putAll(this.#rows, BODY_COLUMNS, body)
    const end = this.#rows.length
    putAll(this.#rows, MOVED_COLUMNS, body)
    // Where nothing was moved, these columns are not hashed: spans stored before there were any have the same hash.
    const isMoved = stored.long_data !== '' || stored.copies.length > 0
    const hashed = this.#rows.slice(from, isMoved ? this.#rows.length : end)
    return hash('sha1', hashed, 'binary').slice(0, VERSION_HASH_BYTES)
  }

  /** With the values of a new span. */
  #versionOf(sender: Sender): Version {
    if (this.#sender !== sender) {
      const { accepted_at, user_id } = sender
      this.#version = { accepted_at, created_at: microsNow(), created_by_id: user_id }
      this.#sender = sender
    }
    return this.#version as Version
  }

  /** The node of a span in this batch: a new object each time. */
  nodeOf({ nodeAt, version }: BatchedSpan): StoredNode {
    this.#reader ??= new RowReader(this.#nodes.slice(0, this.#nodes.length))
    this.#reader.moveTo(nodeAt)
    return readNode(this.#reader, version)
  }

  /** Fills in what was not known when the span arrived. */
  complete(span: BatchedSpan, { lifecycle, derived, actors }: Completion): void {
    const { from, to } = span
    const { length } = this.#rows
    this.#rows.moveTo(to - LATE_BYTES)
    putLate(this.#rows, lifecycle, derived)
    this.#rows.moveTo(length)
    span.row = Object.keys(actors).length > 0 ? withTexts(this.#rows.slice(from, to), actors) : undefined
  }

  /** The row of one of the spans; valid until the next span is added. */
  rowOf({ from, to, row }: BatchedSpan): Buffer {
    return row ?? this.#rows.slice(from, to)
  }

  /** The consecutive rows of these spans; valid until the next span is added. */
  rowsOf(spans: readonly BatchedSpan[]): Buffer {
    // A batch rarely has spans that are not new, or rows of their own.
    if (spans.length === this.spans.length && !spans.some(span => span.row))
      return this.#rows.slice(0, this.#rows.length)
    return Buffer.concat(spans.map(span => this.rowOf(span)))
  }

  /** Removes everything. */
  clear(): void {
    this.deletions.length = 0
    this.spans.length = 0
    this.#rows.clear()
    this.#nodes.clear()
    this.#reader = undefined
  }
}

/** A row with other texts in some of its first columns. */
function withTexts(row: Buffer, texts: Readonly<Record<string, string>>): Buffer {
  const reader = new RowReader(row)
  const pieces: Buffer[] = []
  for (const column of HEAD_COLUMNS) {
    const from = reader.at
    column.read(reader)
    const text = texts[column.name]
    pieces.push(text === undefined ? row.subarray(from, reader.at) : bytesOf(text))
  }
  return Buffer.concat([...pieces, row.subarray(reader.at)])
}

function bytesOf(text: string): Buffer {
  const row = new RowBuffer(256)
  row.text(text)
  return row.slice(0, row.length)
}
