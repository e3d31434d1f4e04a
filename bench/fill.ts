import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startClickHouse } from '@spanhouse/clickhouse-server'
import type { Span, Uuid } from '@spanhouse/model'
import { type Engine, migrateSpans, openEngine, SpanBatch, SpanWriter } from '@spanhouse/span-store'
import { LARGE_TRACES, makeLargeTrace, makeTrace, SPANS_PER_TRACE, type SpanSet } from './span-sets.ts'

export const PROJECT: Uuid = '019d9ca1-0000-7000-8000-000000000001'

/** A measurement with a server that died is useless. */
export function failOn(death: string): never {
  throw new Error(death)
}

/** What the writer takes at once in the product. */
const BATCH_SPANS = 16_000
const BATCH_BYTES = 24 * 1024 ** 2
const EXPORT_SPANS = 512
/** Approximate; determines how many spans of a set form a batch. */
const SPAN_BYTES: Record<SpanSet, number> = { small: 700, chat: 6_000 }
const DDL = fileURLToPath(new URL('../clickhouse', import.meta.url))

export interface Fill {
  set: SpanSet
  spans: number
  folder: string
}

export interface FillResult {
  /** Spans a second through the writer, with the product's look-ups and totals: over the first tenth and the last. */
  firstSpansPerSecond: number
  lastSpansPerSecond: number
  /** Spans that were sent a second time, and how many of those the writer knew and left out. */
  sentAgain: number
  knownAgain: number
}

/**
 * Fills a folder with a set of spans, by the product's own writer; undefined if it was filled already.
 * Reports progress on standard error.
 */
export async function fill({ set, spans, folder }: Fill): Promise<FillResult | undefined> {
  await mkdir(folder, { recursive: true })
  const server = await startClickHouse({ path: join(folder, 'clickhouse'), onDeath: failOn })
  const engine = openEngine(server.url, { connections: 1, queueMs: 600_000 })
  try {
    await migrateSpans(engine, DDL)
    const stored = await countOf(engine)
    return stored >= spans ? undefined : await writeAll(engine, set, stored, spans)
  } finally {
    await engine.close()
    await server.stop()
  }
}

async function writeAll(engine: Engine, set: SpanSet, stored: number, spans: number): Promise<FillResult> {
  const writer = new SpanWriter(engine)
  await writer.recover()
  const traces = spans / SPANS_PER_TRACE[set]
  const perBatch = Math.floor(Math.min(BATCH_SPANS, BATCH_BYTES / SPAN_BYTES[set]) / SPANS_PER_TRACE[set])
  const tracesPerExport = Math.floor(EXPORT_SPANS / SPANS_PER_TRACE[set])
  const seconds: number[] = []
  let [sentAgain, knownAgain] = [0, 0]
  for (let trace = stored / SPANS_PER_TRACE[set]; trace < traces; trace += perBatch) {
    const batch = new SpanBatch()
    const end = Math.min(trace + perBatch, traces)
    for (let from = trace; from < end; from += tracesPerExport) {
      const ids = Array.from({ length: Math.min(tracesPerExport, end - from) }, (_, at) => from + at)
      const spans = ids.flatMap(id => makeTrace(set, id, traces))
      addExport(batch, spans)
    }
    const started = performance.now()
    await writer.write(batch)
    seconds.push((performance.now() - started) / 1000)
    if (seconds.length % 20 === 0) {
      sentAgain += batch.spans.length
      knownAgain += (await writer.write(batch)).known
    }
    if (seconds.length % 50 === 0)
      process.stderr.write(`${set}: ${trace * SPANS_PER_TRACE[set]} of ${spans} spans are stored\n`)
  }
  for (const size of set === 'small' ? LARGE_TRACES : []) {
    const batch = new SpanBatch()
    addExport(batch, makeLargeTrace(size))
    await writer.write(batch)
  }
  const tenth = Math.ceil(seconds.length / 10)
  const rateOf = (some: number[]): number =>
    Math.round((some.length * perBatch * SPANS_PER_TRACE[set]) / some.reduce((sum, one) => sum + one, 0))
  const rates = {
    firstSpansPerSecond: rateOf(seconds.slice(0, tenth)),
    lastSpansPerSecond: rateOf(seconds.slice(-tenth)),
  }
  return { ...rates, sentAgain, knownAgain }
}

/** Spans that come in one request: they are accepted at one time, when the last of them has ended. */
export function addExport(batch: SpanBatch, spans: readonly Span[]): void {
  const accepted_at = spans.reduce((latest, span) => Math.max(latest, span.end_time), 0)
  const sender = { project_id: PROJECT, user_id: PROJECT, accepted_at }
  for (const span of spans) batch.add(sender, span)
}

async function countOf(engine: Engine): Promise<number> {
  const [row] = await engine.rows<{ spans: number }>({ text: 'SELECT count() AS spans FROM spans', params: {} })
  return row?.spans ?? 0
}
