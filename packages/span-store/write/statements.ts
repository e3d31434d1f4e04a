import {
  actorOf,
  amountOfText,
  CALL_TYPES,
  claimedAmounts,
  type Derived,
  type Json,
  type JsonObject,
  type Micros,
  modelCall,
  NO_AMOUNTS,
  ownFailure,
  parseJson,
  type Restatement,
  type SpanId,
  type SpanType,
  STEP_TYPES,
  type TraceId,
  type TraceType,
  type Uuid,
} from '@spanhouse/model'
import { amountColumns, type Column, secondsText, VERSION_HASH_BYTES } from '@spanhouse/query'
import type { RowReader } from '../bytes/row-reader.ts'
import type { Engine } from '../engine/engine.ts'
import type { StoredNode } from '../stored-node.ts'
import { NOT_FENCED } from './fence.ts'

/** The columns that identify one row by the table's key. */
export interface RowKey {
  project_id: Uuid
  trace_id: TraceId
  span_id: SpanId
  start_time: Micros
}

/**
 * The maximum number of rows per UPDATE or DELETE, and of traces per look-up; more need further statements. ClickHouse
 * accepts at most 128 KiB for one parameter over HTTP (`http_max_field_value_size`); the keys of 1,000 rows take 84.
 */
const ROWS_PER_STATEMENT = 1_000
const TRACES_PER_STATEMENT = 2_500

const OWN = amountColumns('incremental')
const CUMULATIVE = amountColumns('cumulative')

/**
 * The ids are passed as a set, through a subquery: `IN` with a computed array compares every row with every element
 * (2,000 ids among a million rows: 5,500 ms; as a set 70 ms). They have the column's type: a String with the same bytes
 * does not match ids that end in zeros.
 */
const LOOK_UP = `
SELECT project_id, trace_id, span_id, parent_id, start_time, end_time, toString(declared_trace_type), is_trace_type_explicit,
  repeats_usage, toString(span_type), toString(trace_type), is_trace_head, toString(restated), version_hash, accepted_at,
  created_at, created_by_id, session_id, JSONExtractString(attributes, 'ag', 'session', 'id') != '', user_id,
  JSONExtractString(attributes, 'ag', 'user', 'id') != '', JSONExtractRaw(attributes, 'scope', 'name'),
  JSONExtractRaw(attributes, 'ag', 'meta', 'request', 'model'), JSONExtractRaw(attributes, 'ag', 'meta', 'response', 'model'),
  JSONExtractRaw(attributes, 'ag', 'exception'), JSONExtractRaw(attributes, 'ag', 'metrics'), ${[...OWN, ...CUMULATIVE].map(name => `toString(${name})`).join(', ')},
  expires_at <= now()
FROM spans AS s
PREWHERE s.project_id IN (SELECT arrayJoin({projects:Array(UUID)})) AND s.trace_id IN (SELECT toFixedString(unhex(arrayJoin({traces:Array(String)})), 16))`

/** A span as stored, with what is stored as derived for it. */
export interface FoundSpan {
  project_id: Uuid
  trace_id: TraceId
  node: StoredNode
  derived: Derived
  /** Its time is over, and it is deleted within hours. */
  isExpired: boolean
}

/**
 * Calls `visit` with each stored span of these traces, and possibly of others with the same trace id in another of the
 * projects, as they arrive: as one JSON text, a million spans exceed the longest that there can be.
 */
export async function lookUpTraces(
  engine: Engine,
  traces: readonly { project_id: Uuid; trace_id: TraceId }[],
  visit: (span: FoundSpan) => void,
): Promise<void> {
  const projects = [...new Set(traces.map(trace => trace.project_id))]
  for (const ids of chunks([...new Set(traces.map(trace => trace.trace_id))], TRACES_PER_STATEMENT))
    await engine.binaryRows({ text: LOOK_UP, params: { projects, traces: ids } }, row => visit(readSpan(row)))
}

/** In the order of the columns of {@link LOOK_UP}. */
function readSpan(row: RowReader): FoundSpan {
  const ids = { project_id: row.uuid() as Uuid, trace_id: row.hex(16) as TraceId }
  const [span_id, parent_id] = [row.hex(8) as SpanId, row.hex(8) as SpanId]
  const [start_time, end_time] = [row.number64(), row.number64()]
  const declared_trace_type = row.text() as TraceType | 'none'
  const is_trace_type_explicit = row.int8() === 1
  const repeats_usage = row.int8() === 1
  const span_type = row.text() as SpanType
  const trace_type = row.text() as TraceType
  const is_trace_head = row.int8() === 1
  const restated = row.text() as Restatement
  const version_hash = row.characters(VERSION_HASH_BYTES)
  const version = { accepted_at: row.number64(), created_at: row.number64(), created_by_id: row.uuid() as Uuid }
  const session = readActor(row)
  const user = readActor(row)
  // Any JSON, of which a number is no name, as it was none when the span came.
  const source = jsonOf(row.text())
  const meta = { request: { model: jsonOf(row.text()) }, response: { model: jsonOf(row.text()) } }
  const [exception, metrics] = [row.text(), row.text()]
  const own = OWN.map((_, index) => amountOfText(row.text(), index))
  const cumulative = CUMULATIVE.map((_, index) => amountOfText(row.text(), index))
  const isExpired = row.int8() === 1
  const is_call = CALL_TYPES.has(span_type)
  const claimed = metrics === '' ? NO_AMOUNTS : claimedAmounts(parseJson(metrics) as JsonObject)
  const node: StoredNode = {
    span_id,
    parent_id: parent_id === '0000000000000000' ? null : parent_id,
    start_time,
    own,
    claimed: claimed === NO_AMOUNTS ? null : claimed,
    declared_trace_type: declared_trace_type === 'none' ? null : declared_trace_type,
    is_trace_type_explicit,
    repeats_usage,
    is_call,
    is_step: STEP_TYPES.has(span_type),
    call: is_call ? modelCall(own, { meta, source, end_time }) : null,
    failure: exception === '' ? null : ownFailure(own, parseJson(exception)),
    session_id: session.own,
    user_id: user.own,
    version_hash,
    version,
  }
  const shown = { session_id: session.shown, user_id: user.shown }
  return { ...ids, node, derived: { cumulative, restated, trace_type, is_trace_head, ...shown }, isExpired }
}

const jsonOf = (text: string): Json => (text === '' ? null : parseJson(text))

/** The column of a session or a user has what the span shows; its attributes tell whether that is its own. */
function readActor(row: RowReader): { own: string | null; shown: string | null } {
  const id = row.text()
  const isOwn = row.int8() === 1
  return { own: isOwn ? actorOf(id) : '', shown: isOwn ? actorOf(id) : id }
}

/**
 * Traces without a head among those written shortly before the last write: a writer that ended then was still waiting
 * for their roots.
 */
export function unsettledTraces(engine: Engine): Promise<{ project_id: Uuid; trace_id: TraceId }[]> {
  return engine.rows({
    text: `
SELECT project_id, lower(hex(trace_id)) AS trace_id FROM spans AS s
WHERE s.trace_id IN (SELECT trace_id FROM spans WHERE created_at > (SELECT max(created_at) FROM spans) - INTERVAL 1 HOUR)
GROUP BY s.project_id, s.trace_id HAVING NOT max(s.is_trace_head) LIMIT 100000`,
    params: {},
  })
}

/** Deletes outdated versions of spans by key. */
export async function deleteRows(engine: Engine, keys: readonly RowKey[]): Promise<void> {
  for (const some of chunks(keys, ROWS_PER_STATEMENT))
    await engine.command({ text: `DELETE FROM spans WHERE ${BY_KEY}`, params: keyParams(engine, some) })
}

/** A stored row and its new values: one text per column. */
export interface RowUpdate {
  key: RowKey
  values: string[]
}

/** Maximum number of texts per statement; more need further ones. */
const UPDATE_BYTES_MAX = 8 * 1024 * 1024

/**
 * Updates stored rows in place: a reader sees either all old values of a row or all new ones. A column takes its value
 * from a list, at the index of the row's key in the list of keys; one that gets the same value in all rows, as every
 * column of a single row does, takes the value itself, which costs the engine half as much.
 */
export async function updateRows(
  engine: Engine,
  columns: readonly Pick<Column<never>, 'name' | 'isHex'>[],
  updates: readonly RowUpdate[],
): Promise<void> {
  for (const some of sizedChunks(updates)) {
    const params: Record<string, unknown> = {
      ...keyParams(
        engine,
        some.map(({ key }) => key),
      ),
      positions: some.map((_, index) => index + 1),
    }
    const assignments = columns.map(({ name, isHex }, at) => {
      const values = some.map(update => update.values[at] as string)
      const isSame = values.every(value => value === values[0])
      params[name] = isSame ? values[0] : values
      const value = isSame ? `{${name}:String}` : valueOfKey(name)
      return `${name} = ${isHex ? `unhex(${value})` : value}`
    })
    await engine.command({ text: `UPDATE spans SET ${assignments.join(', ')} WHERE ${BY_KEY}`, params })
  }
}

const valueOfKey = (name: string): string =>
  `arrayElement({${name}:Array(String)}, transform(concat(toString(project_id), hex(trace_id), hex(span_id)), ` +
  `{keys:Array(String)}, {positions:Array(UInt32)}, toUInt32(0)))`

function sizedChunks(updates: readonly RowUpdate[]): RowUpdate[][] {
  let chunk: RowUpdate[] = []
  const all = [chunk]
  let bytes = 0
  for (const update of updates) {
    const size = update.values.reduce((sum, value) => sum + value.length, 0)
    if (chunk.length >= ROWS_PER_STATEMENT || (chunk.length > 0 && bytes + size > UPDATE_BYTES_MAX)) {
      chunk = []
      all.push(chunk)
      bytes = 0
    }
    chunk.push(update)
    bytes += size
  }
  return chunk.length === 0 ? [] : all
}

/** The key starts with project and start time, which select the granules; the pairs then select the rows. */
const BY_KEY = `project_id IN (SELECT arrayJoin({projects:Array(UUID)}))
  AND start_time IN (SELECT arrayJoin({times:Array(DateTime64(6, 'UTC'))}))
  AND concat(toString(project_id), hex(trace_id), hex(span_id)) IN (SELECT arrayJoin({keys:Array(String)}))
  AND ${NOT_FENCED}`

function keyParams({ run = 0 }: Engine, keys: readonly RowKey[]): Record<string, unknown> {
  return {
    run,
    projects: [...new Set(keys.map(key => key.project_id))],
    times: [...new Set(keys.map(key => secondsText(key.start_time)))],
    keys: keys.map(key => key.project_id + key.trace_id.toUpperCase() + key.span_id.toUpperCase()),
  }
}

function chunks<T>(items: readonly T[], size: number): T[][] {
  const parts: T[][] = []
  for (let at = 0; at < items.length; at += size) parts.push(items.slice(at, at + size))
  return parts
}
