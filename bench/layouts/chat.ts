import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { makeTrace, RARE_WORD, SPANS_PER_TRACE, traceIdOf } from '../span-sets.ts'
import { type Layout, MERGE_TREE_SETTINGS, PROJECT, type Run, type SourceOf } from './layouts.ts'

/*
 * Ways to lay out spans whose inputs and outputs are long and repeat what was said before: what they take on disk, and
 * what it costs to read some of them again.
 */

/** Spans of a batch of the writer. */
export const CHATS_PER_INSERT = 2_000

/** Makes the table `source` of the first spans of the set `chat` (see `span-sets.ts`). */
export async function makeChats(run: Run, { spans, folder }: SourceOf): Promise<void> {
  const file = join(folder, 'chats.json')
  const structure =
    'position UInt64, is_root Bool, start UInt64, trace String, span String, parent String, span_name String, session_id String, data String'
  const columns = `position, toUUID('${PROJECT}') AS project_id, is_root, fromUnixTimestamp64Micro(toInt64(start), 'UTC') AS start_time,
    toFixedString(unhex(trace), 16) AS trace_id, toFixedString(unhex(span), 8) AS span_id,
    toFixedString(unhex(parent), 8) AS parent_id, span_name, session_id, data`
  const from = `SELECT ${columns} FROM file('${file}', JSONEachRow, '${structure}')`
  const traces = spans / SPANS_PER_TRACE.chat
  const perFile = CHATS_PER_INSERT / SPANS_PER_TRACE.chat
  for (let first = 0; first < traces; first += perFile) {
    await writeFile(file, rowsOf({ first, end: Math.min(first + perFile, traces), traces }).join('\n'))
    const into = first === 0 ? 'CREATE TABLE source ENGINE = MergeTree ORDER BY position AS' : 'INSERT INTO source'
    await run(`${into} ${from}`)
  }
}

function rowsOf({ first, end, traces }: { first: number; end: number; traces: number }): string[] {
  const numbers = Array.from({ length: end - first }, (_, at) => first + at)
  return numbers
    .flatMap(trace => makeTrace('chat', trace, traces))
    .map(({ attributes, ...span }, at) =>
      JSON.stringify({
        position: first * SPANS_PER_TRACE.chat + at,
        is_root: span.parent_id === undefined,
        start: span.start_time,
        trace: span.trace_id,
        span: span.span_id,
        parent: span.parent_id ?? '',
        span_name: span.span_name,
        session_id: span.session_id,
        data: JSON.stringify(attributes.ag.data),
      }),
    )
}

const FREQUENT_TEXT = 'garden summer'
const SCATTERED = 50

const SELECT = 'project_id, is_root, start_time, trace_id, span_id, parent_id, span_name, session_id'
const VALUES = 'data'
const VALUES_APART = "JSONExtractRaw(data, 'inputs'), JSONExtractRaw(data, 'outputs')"
const OURS = `project_id = '${PROJECT}'`
const ROOTS = 'is_root = true'
const CALLS = 'is_root = false'

interface Table {
  /** Of `data`. */
  codec: string
  /** Behind project and `is_root`. */
  order?: string
  settings: string
  /** Outputs are not part of `data` but a column of their own. */
  areOutputsApart?: boolean
}

const tableOf = ({ codec, order = 'start_time', settings, areOutputsApart }: Table): string => `CREATE TABLE layout (
    project_id UUID CODEC(ZSTD(1)),
    is_root Bool,
    start_time DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
    trace_id FixedString(16) CODEC(ZSTD(1)),
    span_id FixedString(8) CODEC(ZSTD(1)),
    parent_id FixedString(8) CODEC(ZSTD(1)),
    span_name LowCardinality(String) CODEC(ZSTD(1)),
    session_id String CODEC(ZSTD(1)),
    data String CODEC(${codec}),
    ${areOutputsApart ? `outputs String CODEC(${codec}),` : ''}
    INDEX by_trace trace_id TYPE bloom_filter(0.01) GRANULARITY 1)
  ENGINE = MergeTree ORDER BY (project_id, is_root, ${order}, trace_id, span_id)
  ${MERGE_TREE_SETTINGS}, min_bytes_for_wide_part = 134217728, ${settings}`

/** As `query` asks: start times first, of each part of the key, then the rows. */
function page(condition: string, parts: readonly string[]): string {
  const ofParts = parts.map(
    part =>
      `SELECT start_time FROM layout WHERE ${OURS} AND ${part} AND ${condition} ORDER BY start_time DESC LIMIT 50`,
  )
  const times = `SELECT * FROM (${ofParts.join(' UNION ALL ')}) ORDER BY start_time DESC LIMIT 50`
  return `SELECT * FROM layout PREWHERE ${OURS} AND (${parts.join(' OR ')}) AND start_time IN (${times})
    WHERE ${condition} ORDER BY start_time DESC LIMIT 50`
}

type HasText = (text: string) => string
const hasInDocument: HasText = text =>
  `if(position(data, '${text}') > 0, position(JSONExtractRaw(data, 'outputs'), '${text}') > 0, false)`
const hasInColumn: HasText = text => `position(outputs, '${text}') > 0`

/** Ids of traces far from each other. */
const scattered = (spans: number, count: number): string[] => {
  const traces = spans / SPANS_PER_TRACE.chat
  return Array.from({ length: count }, (_, at) => traceIdOf('chat', Math.floor((traces * (at + 0.5)) / count)))
}

const ofTraces = (ids: readonly string[]): string =>
  `SELECT * FROM layout PREWHERE ${OURS} AND trace_id IN (SELECT toFixedString(unhex(arrayJoin([${ids.map(id => `'${id}'`)}])), 16))`

const questionsOf = (spans: number, hasOutput: HasText): Record<string, string> => ({
  'newest 50 roots': page('true', [ROOTS]),
  'newest 50 spans': page('true', [ROOTS, CALLS]),
  'newest 50 calls': page('true', [CALLS]),
  '50 traces': ofTraces(scattered(spans, SCATTERED)),
  'trace by id': ofTraces(scattered(spans, 1)),
  'outputs with a frequent text': page(hasOutput(FREQUENT_TEXT), [ROOTS, CALLS]),
  'outputs with a rare text': page(hasOutput(RARE_WORD), [ROOTS, CALLS]),
})

function exporterQuestions(spans: number): Record<string, string> {
  const list = (condition: string): string => `SELECT * FROM layout WHERE ${condition} ORDER BY Timestamp DESC LIMIT 50`
  const hasText = (text: string): string => `position(SpanAttributes['output.value'], '${text}') > 0`
  const of = (ids: readonly string[]): string => `SELECT * FROM layout WHERE TraceId IN (${ids.map(id => `'${id}'`)})`
  return {
    'newest 50 roots': list(`ParentSpanId = ''`),
    'newest 50 spans': list('true'),
    'newest 50 calls': list(`ParentSpanId != ''`),
    '50 traces': of(scattered(spans, SCATTERED)),
    'trace by id': of(scattered(spans, 1)),
    'outputs with a frequent text': list(hasText(FREQUENT_TEXT)),
    'outputs with a rare text': list(hasText(RARE_WORD)),
  }
}

const BY_CONVERSATION =
  'toStartOfInterval(start_time, INTERVAL 4 HOUR), if(is_root, 0, cityHash64(session_id)), start_time'
const SMALL_GRANULES = 'index_granularity_bytes = 1048576'
const blocksOf = (bytes: number): string => `min_compress_block_size = ${bytes}, max_compress_block_size = ${bytes}`

const TABLES: readonly ({ name: string; about: string } & Table)[] = [
  {
    name: 'by time',
    about: 'the product: granules of 1,024 rows or 1 MiB',
    codec: 'ZSTD(3)',
    settings: SMALL_GRANULES,
  },
  {
    name: 'large granules',
    about: 'granules of 1,024 rows or 10 MB, and the compression of all other columns',
    codec: 'ZSTD(1)',
    settings: 'index_granularity_bytes = 10485760',
  },
  {
    name: 'window of 16 MB',
    about: 'finds what was said before when not too much of other conversations lies in between',
    codec: 'ZSTD(6, 24)',
    settings: blocksOf(16 * 1024 ** 2),
  },
  {
    name: 'window of 64 MB',
    about: 'the same further back, at less depth',
    codec: 'ZSTD(3, 26)',
    settings: `${blocksOf(64 * 1024 ** 2)}, index_granularity_bytes = 67108864`,
  },
  {
    name: 'by conversation',
    about: 'calls of one conversation stand together within four hours; roots are in the order of time',
    codec: 'ZSTD(3)',
    order: BY_CONVERSATION,
    settings: SMALL_GRANULES,
  },
  {
    name: 'by time, outputs apart',
    about: 'as in the product, with outputs in a column of their own',
    codec: 'ZSTD(3)',
    settings: SMALL_GRANULES,
    areOutputsApart: true,
  },
  {
    name: 'by conversation, outputs apart',
    about: 'calls of one conversation together, and outputs in a column of their own',
    codec: 'ZSTD(3)',
    order: BY_CONVERSATION,
    settings: SMALL_GRANULES,
    areOutputsApart: true,
  },
]

export const chatLayouts = (spans: number): Layout[] => [
  ...TABLES.map(({ name, about, ...table }) => ({
    name,
    about,
    ddl: tableOf(table),
    select: `${SELECT}, ${table.areOutputsApart ? VALUES_APART : VALUES}`,
    questions: questionsOf(spans, table.areOutputsApart ? hasInColumn : hasInDocument),
  })),
  {
    name: 'collector exporter',
    about: 'what exporters of the OpenTelemetry collector make: attributes in a map, by service, name and second',
    ddl: `CREATE TABLE layout (
        Timestamp DateTime64(9) CODEC(Delta(8), ZSTD(1)),
        TraceId String CODEC(ZSTD(1)), SpanId String CODEC(ZSTD(1)), ParentSpanId String CODEC(ZSTD(1)),
        SpanName LowCardinality(String) CODEC(ZSTD(1)), ServiceName LowCardinality(String) CODEC(ZSTD(1)),
        SpanAttributes Map(LowCardinality(String), String) CODEC(ZSTD(1)),
        INDEX idx_trace_id TraceId TYPE bloom_filter(0.001) GRANULARITY 1,
        INDEX idx_span_attr_key mapKeys(SpanAttributes) TYPE bloom_filter(0.01) GRANULARITY 1,
        INDEX idx_span_attr_value mapValues(SpanAttributes) TYPE bloom_filter(0.01) GRANULARITY 1)
      ENGINE = MergeTree PARTITION BY toDate(Timestamp) ORDER BY (ServiceName, SpanName, toDateTime(Timestamp))`,
    select: `start_time, lower(hex(trace_id)), lower(hex(span_id)), if(is_root, '', lower(hex(parent_id))), span_name, 'chat',
      map('session.id', session_id, 'input.value', JSONExtractRaw(data, 'inputs'), 'output.value', JSONExtractRaw(data, 'outputs'))`,
    questions: exporterQuestions(spans),
  },
]
