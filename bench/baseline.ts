import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { type Export, TracesData } from './exports.ts'
import { type Measured, measured } from './measured.ts'

const SPANS_PER_INSERT = 8_192

/** The columns that OpenTelemetry's own exporter for ClickHouse makes, and its order of rows. */
const TABLE = `
CREATE TABLE otel_traces
(
    Timestamp DateTime64(9) CODEC(Delta, ZSTD(1)),
    TraceId String CODEC(ZSTD(1)),
    SpanId String CODEC(ZSTD(1)),
    ParentSpanId String CODEC(ZSTD(1)),
    TraceState String CODEC(ZSTD(1)),
    SpanName LowCardinality(String) CODEC(ZSTD(1)),
    SpanKind LowCardinality(String) CODEC(ZSTD(1)),
    ServiceName LowCardinality(String) CODEC(ZSTD(1)),
    ResourceAttributes Map(LowCardinality(String), String) CODEC(ZSTD(1)),
    ScopeName String CODEC(ZSTD(1)),
    ScopeVersion String CODEC(ZSTD(1)),
    SpanAttributes Map(LowCardinality(String), String) CODEC(ZSTD(1)),
    Duration UInt64 CODEC(ZSTD(1)),
    StatusCode LowCardinality(String) CODEC(ZSTD(1)),
    StatusMessage String CODEC(ZSTD(1)),
    Events Nested(Timestamp DateTime64(9), Name LowCardinality(String), Attributes Map(LowCardinality(String), String)) CODEC(ZSTD(1)),
    Links Nested(TraceId String, SpanId String, TraceState String, Attributes Map(LowCardinality(String), String)) CODEC(ZSTD(1)),
    INDEX by_trace TraceId TYPE bloom_filter(0.001) GRANULARITY 1,
    INDEX by_resource_key mapKeys(ResourceAttributes) TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX by_resource_value mapValues(ResourceAttributes) TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX by_span_key mapKeys(SpanAttributes) TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX by_span_value mapValues(SpanAttributes) TYPE bloom_filter(0.01) GRANULARITY 1,
    INDEX by_duration Duration TYPE minmax GRANULARITY 1
)
ENGINE = MergeTree
PARTITION BY toDate(Timestamp)
ORDER BY (ServiceName, SpanName, toDateTime(Timestamp))`

interface Pair {
  key: string
  value: Record<string, unknown>
}
interface Group {
  resource: { attributes: Pair[] }
  scopeSpans: { scope: { name: string; version: string }; spans: Sent[] }[]
}
interface Sent {
  traceId: Buffer
  spanId: Buffer
  parentSpanId: Buffer
  name: string
  kind: number
  startTimeUnixNano: string
  endTimeUnixNano: string
  attributes: Pair[]
  status?: { code: number; message: string }
}

/**
 * The cost of the minimum that must be done with the same exports: decode them with protobufjs, make a flat row of each
 * span and insert the rows as JSONEachRow into the same engine, decoding the next batch while one is inserted. No
 * totals, no deduplication, no log in between, no HTTP.
 */
export async function measureBaseline(
  run: (sql: string) => Promise<string>,
  folder: string,
  exports: readonly Export[],
): Promise<Measured> {
  await run(TABLE)
  const bodies = exports.map(({ body }) => gunzipSync(body))
  const file = join(folder, 'baseline.rows')
  const handle = await open(file, 'w')
  const insert = async (lines: Buffer): Promise<void> => {
    await handle.write(lines, 0, lines.length, 0)
    await handle.truncate(lines.length)
    await run(`INSERT INTO otel_traces FROM INFILE '${file}' FORMAT JSONEachRow`)
  }
  const result = await measured(async () => {
    let inserting: Promise<void> = Promise.resolve()
    let lines: string[] = []
    const flush = async (): Promise<void> => {
      const bytes = Buffer.from(lines.join('\n'))
      lines = []
      await inserting
      inserting = insert(bytes)
    }
    for (const body of bodies)
      for (const row of rowsOf(body)) if (lines.push(JSON.stringify(row)) === SPANS_PER_INSERT) await flush()
    if (lines.length > 0) await flush()
    await inserting
    return Number(await run('SELECT count() FROM otel_traces'))
  })
  await handle.close()
  await rm(file)
  await run('DROP TABLE otel_traces SYNC')
  return result
}

function* rowsOf(body: Buffer): Generator<object> {
  const { resourceSpans } = TracesData.decode(body) as unknown as { resourceSpans: Group[] }
  for (const { resource, scopeSpans } of resourceSpans) {
    const ResourceAttributes = mapOf(resource.attributes)
    for (const { scope, spans } of scopeSpans) for (const span of spans) yield rowOf(span, scope, ResourceAttributes)
  }
}

function rowOf(span: Sent, scope: { name: string; version: string }, ResourceAttributes: Record<string, string>) {
  const start = BigInt(span.startTimeUnixNano)
  return {
    Timestamp: isoNanos(start),
    TraceId: span.traceId.toString('hex'),
    SpanId: span.spanId.toString('hex'),
    ParentSpanId: span.parentSpanId.toString('hex'),
    SpanName: span.name,
    SpanKind: KINDS[span.kind],
    ServiceName: ResourceAttributes['service.name'] ?? '',
    ResourceAttributes,
    ScopeName: scope.name,
    ScopeVersion: scope.version,
    SpanAttributes: mapOf(span.attributes),
    Duration: String(BigInt(span.endTimeUnixNano) - start),
    StatusCode: CODES[span.status?.code ?? 0],
    StatusMessage: span.status?.message ?? '',
  }
}

function isoNanos(nanos: bigint): string {
  const seconds = new Date(Number(nanos / 1_000_000n)).toISOString().slice(0, 19)
  return `${seconds}.${String(nanos % 1_000_000_000n).padStart(9, '0')}Z`
}

const KINDS = ['Unspecified', 'Internal', 'Server', 'Client', 'Producer', 'Consumer']
const CODES = ['Unset', 'Ok', 'Error']

function mapOf(pairs: readonly Pair[]): Record<string, string> {
  const map: Record<string, string> = {}
  for (const { key, value } of pairs) map[key] = String(Object.values(value)[0])
  return map
}
