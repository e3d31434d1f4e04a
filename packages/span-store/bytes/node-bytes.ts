import { AMOUNTS, type Amounts, type Derived, NO_AMOUNTS, type TraceNode, type TraceType } from '@spanhouse/model'
import { CONTENT_HASH_BYTES } from '@spanhouse/query'
import type { StoredNode, Version } from '../stored-node.ts'
import type { RowBuffer } from './row-buffer.ts'
import type { RowReader } from './row-reader.ts'

/**
 * A node of a trace encoded as bytes: about 30, or more if it carries amounts. A batch has thousands of nodes and the
 * trace memory more than a hundred thousand. As objects, a dozen per node, they would survive many garbage collections,
 * each of which scans them all.
 */

/** Placeholder in a node until the totals of its trace are computed. */
export const NOT_DERIVED: Derived = {
  cumulative: NO_AMOUNTS,
  restated: 'none',
  trace_type: 'unknown',
  is_trace_head: false,
}

const HAS_PARENT = 1
const HAS_OWN = 2
const HAS_CLAIMED = 4
const IS_EXPLICIT = 8
const REPEATS_USAGE = 16
const IS_CALL = 32

const DECLARED: readonly (TraceType | null)[] = [null, 'invocation', 'annotation', 'unknown']

/** `content_hash`: one character per byte. */
export function putNode(row: RowBuffer, node: TraceNode, content_hash: string): void {
  row.hex(node.span_id)
  row.int8(
    (node.parent_id === null ? 0 : HAS_PARENT) |
      (node.own === NO_AMOUNTS ? 0 : HAS_OWN) |
      (node.claimed === null ? 0 : HAS_CLAIMED) |
      (node.is_trace_type_explicit ? IS_EXPLICIT : 0) |
      (node.repeats_usage ? REPEATS_USAGE : 0) |
      (node.is_call ? IS_CALL : 0),
  )
  row.int8(DECLARED.indexOf(node.declared_trace_type))
  if (node.parent_id !== null) row.hex(node.parent_id)
  row.int64(node.start_time)
  row.bytes(content_hash)
  if (node.own !== NO_AMOUNTS) putAmounts(row, node.own)
  if (node.claimed !== null) putAmounts(row, node.claimed)
}

/** The node written by {@link putNode}. */
export function readNode(row: RowReader, version: Version): StoredNode {
  const span_id = row.hex(8)
  const flags = row.int8()
  const declared_trace_type = DECLARED[row.int8()] as TraceType | null
  return {
    span_id,
    parent_id: flags & HAS_PARENT ? row.hex(8) : null,
    start_time: row.number64(),
    content_hash: row.characters(CONTENT_HASH_BYTES),
    version,
    derived: NOT_DERIVED,
    own: flags & HAS_OWN ? readAmounts(row) : NO_AMOUNTS,
    claimed: flags & HAS_CLAIMED ? readAmounts(row) : null,
    declared_trace_type,
    is_trace_type_explicit: (flags & IS_EXPLICIT) !== 0,
    repeats_usage: (flags & REPEATS_USAGE) !== 0,
    is_call: (flags & IS_CALL) !== 0,
  }
}

function putAmounts(row: RowBuffer, amounts: Amounts): void {
  for (const amount of amounts) row.int128(amount)
}

const readAmounts = (row: RowReader): Amounts => AMOUNTS.map(() => row.int128())
