/*
 * Ways to lay spans out in ClickHouse, each with the questions in its own terms. Only their differences are here: the
 * columns that the questions need, in the types of the product.
 */

export interface Layout {
  name: string
  about: string
  /** `CREATE TABLE layout ...`. */
  ddl: string
  /** What is selected from the source, in the order of the columns. */
  select: string
  /** The SQL of each question by name; every layout has the same names. */
  questions: Record<string, string>
}

/** Runs a statement and returns its result as TSV. */
export type Run = (sql: string) => Promise<string>

export interface SourceOf {
  spans: number
  /** For files while the layout is filled. */
  folder: string
}

const QUESTIONS = [
  'newest 50 roots',
  '50 roots by tokens',
  '50 roots by an attribute of 5,000 values',
  '50 roots by an attribute value that nobody has',
  'trace by id',
  'percentiles of roots',
  'sessions, a page',
  'count of spans',
] as const
type Question = (typeof QUESTIONS)[number]

export const PROJECT = '11111111-1111-4111-8111-111111111111'
/** A trace, a customer and a bound that exist in the source. */
export const SAMPLE = { customer: 'c-77', nobody: 'c-none', tokens: 14_000, trace: 4_242 }

export const MERGE_TREE_SETTINGS =
  'SETTINGS index_granularity = 1024, enable_block_number_column = 1, enable_block_offset_column = 1'

const COLUMNS = `
  project_id UUID CODEC(ZSTD(1)),
  is_root Bool,
  start_time DateTime64(6, 'UTC') CODEC(Delta(8), ZSTD(1)),
  trace_id FixedString(16) CODEC(ZSTD(1)),
  span_id FixedString(8) CODEC(ZSTD(1)),
  parent_id FixedString(8) CODEC(ZSTD(1)),
  duration_cumulative Decimal(18, 3) CODEC(ZSTD(1)),
  tokens_cumulative_total Decimal(18, 3) CODEC(ZSTD(1)),
  span_name LowCardinality(String) CODEC(ZSTD(1)),
  session_id String CODEC(ZSTD(1)),
  attributes String CODEC(ZSTD(1)),
  search_terms Array(UInt32) CODEC(ZSTD(1)),
  INDEX by_trace trace_id TYPE bloom_filter(0.01) GRANULARITY 1,
  INDEX by_search_term search_terms TYPE bloom_filter(0.01) GRANULARITY 1`
const SELECT = `project_id, is_root, start_time, trace_id, span_id, parent_id, duration, tokens, span_name, session_id,
  attributes, terms`

const OURS = `project_id = '${PROJECT}'`
const traceOf = (number: number): string =>
  `toFixedString(concat(reinterpretAsFixedString(cityHash64(${number}, 1)), reinterpretAsFixedString(cityHash64(${number}, 2))), 16)`
/** As the source makes them: a root's terms are other numbers than those of other spans. */
const termOf = (customer: string): string => `toUInt32(cityHash64('customer', '${customer}', true))`
const hasCustomer = (customer: string): string =>
  `hasAny(search_terms, [${termOf(customer)}]) AND JSONExtractString(attributes, 'customer', 'id') = '${customer}'`

function questionsOf(roots: string, from = 'FROM layout'): Record<Question, string> {
  const list = (condition: string): string =>
    `SELECT start_time, trace_id, attributes ${from} WHERE ${OURS} AND ${roots} AND ${condition} ORDER BY start_time DESC LIMIT 50`
  return {
    'newest 50 roots': list('true'),
    '50 roots by tokens': list(`tokens_cumulative_total > ${SAMPLE.tokens}`),
    '50 roots by an attribute of 5,000 values': list(hasCustomer(SAMPLE.customer)),
    '50 roots by an attribute value that nobody has': list(hasCustomer(SAMPLE.nobody)),
    'trace by id': `SELECT * ${from} WHERE ${OURS} AND trace_id = ${traceOf(SAMPLE.trace)}`,
    'percentiles of roots': `SELECT quantilesExactInclusive(0.5, 0.95, 0.99)(toFloat64(duration_cumulative)) ${from} WHERE ${OURS} AND ${roots}`,
    'sessions, a page': `SELECT session_id, min(start_time) AS first ${from} WHERE ${OURS} AND session_id != '' GROUP BY session_id ORDER BY first DESC LIMIT 50`,
    'count of spans': `SELECT count() ${from} WHERE ${OURS}`,
  }
}

const NO_PARENT = `parent_id = toFixedString('', 8)`

export const LAYOUTS: readonly Layout[] = [
  {
    name: 'roots first',
    about: 'the product: a plain table, all roots of a project before all other spans, each in the order of time',
    ddl: `CREATE TABLE layout (${COLUMNS}) ENGINE = MergeTree
      ORDER BY (project_id, is_root, start_time, trace_id, span_id) ${MERGE_TREE_SETTINGS}`,
    select: SELECT,
    questions: questionsOf('is_root = true'),
  },
  {
    name: 'by time',
    about: 'the same with roots among the others',
    ddl: `CREATE TABLE layout (${COLUMNS}) ENGINE = MergeTree
      ORDER BY (project_id, start_time, trace_id, span_id) ${MERGE_TREE_SETTINGS}`,
    select: SELECT,
    questions: questionsOf(NO_PARENT),
  },
  {
    name: 'replacing',
    about: 'roots first, kept exact by the engine: later versions replace earlier ones when they are merged or read',
    ddl: `CREATE TABLE layout (${COLUMNS}) ENGINE = ReplacingMergeTree
      ORDER BY (project_id, is_root, start_time, trace_id, span_id) ${MERGE_TREE_SETTINGS}`,
    select: SELECT,
    questions: questionsOf('is_root = true', 'FROM layout FINAL'),
  },
  {
    name: 'text index',
    about: 'roots first, with lists of spans for each term instead of filters on granules',
    ddl: `CREATE TABLE layout (${COLUMNS.replace(/INDEX by_search_term.*/, "terms_text Array(String), INDEX by_term terms_text TYPE text(tokenizer = 'array')")})
      ENGINE = MergeTree ORDER BY (project_id, is_root, start_time, trace_id, span_id) ${MERGE_TREE_SETTINGS}`,
    select: `${SELECT}, arrayMap(term -> hex(term), terms)`,
    questions: Object.fromEntries(
      Object.entries(questionsOf('is_root = true')).map(([name, text]) => [
        name,
        text.replace(/hasAny\(search_terms, \[(.*?\))\]\)/, 'has(terms_text, hex($1))'),
      ]),
    ) as Record<Question, string>,
  },
  {
    name: 'collector exporter',
    about: 'what exporters of the OpenTelemetry collector make: attributes in a map, by service, name and second',
    ddl: `CREATE TABLE layout (
        Timestamp DateTime64(9) CODEC(Delta(8), ZSTD(1)),
        TraceId String CODEC(ZSTD(1)), SpanId String CODEC(ZSTD(1)), ParentSpanId String CODEC(ZSTD(1)),
        SpanName LowCardinality(String) CODEC(ZSTD(1)), ServiceName LowCardinality(String) CODEC(ZSTD(1)),
        SpanAttributes Map(LowCardinality(String), String) CODEC(ZSTD(1)), Duration UInt64 CODEC(ZSTD(1)),
        INDEX idx_trace_id TraceId TYPE bloom_filter(0.001) GRANULARITY 1,
        INDEX idx_span_attr_key mapKeys(SpanAttributes) TYPE bloom_filter(0.01) GRANULARITY 1,
        INDEX idx_span_attr_value mapValues(SpanAttributes) TYPE bloom_filter(0.01) GRANULARITY 1)
      ENGINE = MergeTree PARTITION BY toDate(Timestamp) ORDER BY (ServiceName, SpanName, toDateTime(Timestamp))`,
    select: `start_time, lower(hex(trace_id)), lower(hex(span_id)), if(is_root, '', lower(hex(parent_id))), span_name,
      JSONExtractString(attributes, 'service', 'name'),
      CAST(arrayMap((key, value) -> (key, value), names, vals), 'Map(LowCardinality(String), String)'),
      toUInt64(duration * 1000000)`,
    questions: {
      'newest 50 roots': exporterList('true'),
      '50 roots by tokens': exporterList(`toUInt64OrZero(SpanAttributes['tokens']) > ${SAMPLE.tokens}`),
      '50 roots by an attribute of 5,000 values': exporterList(`SpanAttributes['customer'] = '${SAMPLE.customer}'`),
      '50 roots by an attribute value that nobody has': exporterList(`SpanAttributes['customer'] = '${SAMPLE.nobody}'`),
      'trace by id': `SELECT * FROM layout WHERE TraceId = lower(hex(${traceOf(SAMPLE.trace)}))`,
      'percentiles of roots': `SELECT quantilesExactInclusive(0.5, 0.95, 0.99)(toFloat64(Duration)) FROM layout WHERE ParentSpanId = ''`,
      'sessions, a page': `SELECT SpanAttributes['session'] AS session, min(Timestamp) AS first FROM layout WHERE session != '' GROUP BY session ORDER BY first DESC LIMIT 50`,
      'count of spans': 'SELECT count() FROM layout',
    },
  },
]

function exporterList(condition: string): string {
  return `SELECT Timestamp, TraceId, SpanAttributes FROM layout WHERE ParentSpanId = '' AND ${condition} ORDER BY Timestamp DESC LIMIT 50`
}

/** Creates the table `source` within the engine. */
export async function makeSpans(run: Run, { spans }: SourceOf): Promise<void> {
  await run(`CREATE TABLE source ENGINE = MergeTree ORDER BY position AS ${source(spans)}`)
}

/**
 * Spans generated by the engine: ten per trace, 30 days, eleven attributes, one of which is unique to each span, and
 * roots that carry a session and totals.
 */
const source = (spans: number): string => `
  WITH intDiv(number, 10) AS trace, number % 10 AS place, cityHash64(number) AS random, cityHash64(trace, 7) AS luck,
    toString(random % 4294967296) AS request, concat('c-', toString(intDiv(luck, 100) % 5000)) AS customer,
    if(place = 0, concat('session-', toString(intDiv(trace, 5))), '') AS session_id,
    if(place = 0, luck % 15000, random % 3000) AS tokens,
    ['service', 'environment', 'model', 'temperature', 'customer', 'tier', 'region', 'status', 'prompt', 'retries', 'request', 'tokens', 'session'] AS names,
    [concat('svc-', toString(luck % 10)), ['production', 'staging', 'dev'][luck % 3 + 1], concat('model-', toString(luck % 6)),
     toString(random % 10), customer, ['free', 'pro', 'enterprise'][luck % 3 + 1], concat('region-', toString(luck % 4)),
     toString(200 + random % 5), concat('v', toString(intDiv(luck, 1000) % 50)), toString(random % 3), request,
     toString(tokens), session_id] AS vals
  SELECT number AS position, toUUID('${PROJECT}') AS project_id, place = 0 AS is_root,
    fromUnixTimestamp64Micro(toInt64(1790408000000000 + intDiv(2592000000000, ${spans / 10}) * trace + place * 30000 + luck % 1000), 'UTC') AS start_time,
    ${traceOf(0).replaceAll('(0,', '(trace,')} AS trace_id,
    toFixedString(reinterpretAsFixedString(cityHash64(number, 3)), 8) AS span_id,
    toFixedString(if(place = 0, '', reinterpretAsFixedString(cityHash64(number - place, 3))), 8) AS parent_id,
    toDecimal64((random % 4000000) / 1000, 3) AS duration,
    ['answer', 'plan', 'retrieve', 'chat', 'parse', 'search', 'chat', 'rank', 'format', 'store'][place + 1] AS span_name,
    concat('{"service":{"name":"', vals[1], '"},"env":"', vals[2], '","gen_ai":{"model":"', vals[3], '","temperature":0.', vals[4],
      '},"customer":{"id":"', customer, '","tier":"', vals[6], '"},"region":"', vals[7], '","http":{"status":', vals[8],
      '},"prompt":{"version":"', vals[9], '"},"retries":', vals[10], ',"request":{"id":"', request, '"}}') AS attributes,
    arrayMap((key, value) -> toUInt32(cityHash64(key, value, is_root)), arraySlice(names, 1, 11), arraySlice(vals, 1, 11)) AS terms,
    session_id, tokens, names, vals
  FROM numbers(${spans})`
