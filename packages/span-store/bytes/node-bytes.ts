import {
  AMOUNTS,
  type Amounts,
  type Derived,
  type ModelCall,
  NO_AMOUNTS,
  type TraceNode,
  type TraceType,
} from '@spanhouse/model'
import { VERSION_HASH_BYTES } from '@spanhouse/query'
import type { StoredNode, Version } from '../stored-node.ts'
import type { RowBuffer } from './row-buffer.ts'
import type { RowReader } from './row-reader.ts'

/**
 * A node of a trace encoded as bytes: about 30, or more if it carries amounts. A batch has thousands of nodes and the
 * trace memory more than a hundred thousand. As objects, a dozen per node, they would survive many garbage collections,
 * each of which scans them all.
 */

/** Placeholder in a row until the totals of its trace are computed. */
export const NOT_DERIVED: Derived = {
  cumulative: NO_AMOUNTS,
  restated: 'none',
  trace_type: 'unknown',
  is_trace_head: false,
  session_id: '',
  user_id: '',
}

const HAS_PARENT = 1
const HAS_OWN = 2
const HAS_CLAIMED = 4
const IS_EXPLICIT = 8
const REPEATS_USAGE = 16
const IS_CALL = 32
const IS_STEP = 64

/** Beside the declared type: there is no room among the flags. */
const HAS_CALL = 4
const HAS_FAILURE = 8
const HAS_SESSION = 16
const HAS_USER = 32
const HAS_LONG_SESSION = 64
const HAS_LONG_USER = 128

const DECLARED: readonly (TraceType | null)[] = [null, 'invocation', 'annotation', 'unknown']

/** `version_hash`: one character per byte. */
export function putNode(row: RowBuffer, node: TraceNode, version_hash: string): void {
  row.hex(node.span_id)
  row.int8(
    (node.parent_id === null ? 0 : HAS_PARENT) |
      (node.own === NO_AMOUNTS ? 0 : HAS_OWN) |
      (node.claimed === null ? 0 : HAS_CLAIMED) |
      (node.is_trace_type_explicit ? IS_EXPLICIT : 0) |
      (node.repeats_usage ? REPEATS_USAGE : 0) |
      (node.is_call ? IS_CALL : 0) |
      (node.is_step ? IS_STEP : 0),
  )
  row.int8(
    DECLARED.indexOf(node.declared_trace_type) |
      (node.call === null ? 0 : HAS_CALL) |
      (node.failure === null ? 0 : HAS_FAILURE) |
      (node.session_id ? HAS_SESSION : 0) |
      (node.user_id ? HAS_USER : 0) |
      (node.session_id === null ? HAS_LONG_SESSION : 0) |
      (node.user_id === null ? HAS_LONG_USER : 0),
  )
  if (node.parent_id !== null) row.hex(node.parent_id)
  row.int64(node.start_time)
  row.bytes(version_hash)
  if (node.own !== NO_AMOUNTS) putAmounts(row, node.own)
  if (node.claimed !== null) putAmounts(row, node.claimed)
  if (node.call !== null) putCall(row, node.call)
  if (node.failure !== null) {
    row.text(node.failure.type)
    row.text(node.failure.message)
  }
  if (node.session_id) row.text(node.session_id)
  if (node.user_id) row.text(node.user_id)
}

/** The node written by {@link putNode}. */
export function readNode(row: RowReader, version: Version): StoredNode {
  const span_id = row.hex(8)
  const flags = row.int8()
  const declared = row.int8()
  return {
    span_id,
    parent_id: flags & HAS_PARENT ? row.hex(8) : null,
    start_time: row.number64(),
    version_hash: row.characters(VERSION_HASH_BYTES),
    version,
    own: flags & HAS_OWN ? readAmounts(row) : NO_AMOUNTS,
    claimed: flags & HAS_CLAIMED ? readAmounts(row) : null,
    declared_trace_type: DECLARED[declared & 3] as TraceType | null,
    is_trace_type_explicit: (flags & IS_EXPLICIT) !== 0,
    repeats_usage: (flags & REPEATS_USAGE) !== 0,
    is_call: (flags & IS_CALL) !== 0,
    is_step: (flags & IS_STEP) !== 0,
    call: declared & HAS_CALL ? readCall(row) : null,
    failure: declared & HAS_FAILURE ? { type: row.text(), message: row.text() } : null,
    session_id: declared & HAS_SESSION ? row.text() : declared & HAS_LONG_SESSION ? null : '',
    user_id: declared & HAS_USER ? row.text() : declared & HAS_LONG_USER ? null : '',
  }
}

function putCall(row: RowBuffer, { models, source, end_time }: ModelCall): void {
  row.int8(models.length)
  for (const model of models) row.text(model)
  row.text(source)
  row.int64(end_time)
}

function readCall(row: RowReader): ModelCall {
  const count = row.int8()
  const models = Array.from({ length: count }, () => row.text())
  return { models, source: row.text(), end_time: row.number64() }
}

/** A bit for each amount that is not zero, then those: most spans have a few of the seven. */
function putAmounts(row: RowBuffer, amounts: Amounts): void {
  row.int8(amounts.reduce((bits, amount, index) => bits | (amount === 0n ? 0 : 1 << index), 0))
  for (const amount of amounts) if (amount !== 0n) row.int128(amount)
}

function readAmounts(row: RowReader): Amounts {
  const bits = row.int8()
  return AMOUNTS.map((_, index) => (bits & (1 << index) ? row.int128() : 0n))
}
