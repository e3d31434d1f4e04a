import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable, type Writable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { childrensCpuSecondsOf } from '@spanhouse/server/process-figures.testing.ts'
import type { Export } from './exports.ts'
import { exportsOf as ingestExportsOf } from './ingest.ts'
import { sendAll, untilWritten } from './load.ts'
import { exportsOf as readsExportsOf } from './reads/traces.ts'
import { post, withClickHouse, withRecordedServer } from './recorder.ts'
import { MIXES } from './storage/mixes.ts'

const CONCURRENCY = 8
/** As many as a server has writers. */
const CONNECTIONS = 2
/** Merges have ended when ClickHouse has used less than this share of a processor for this time. */
const QUIET_SHARE = 0.06
const QUIET_MS = 3_000
const LOOK_EVERY_MS = 500

/** An INSERT of the program as it went to ClickHouse: path and query of the address, and a file with the rows. */
interface Insert {
  path: string
  file: string
}

/** Exports with this number of spans in total, as other benchmarks send them. */
export const ENGINE_SETS: Record<string, (spans: number) => Iterable<Export>> = {
  ingest: ingestExportsOf,
  reads: readsExportsOf,
  ...Object.fromEntries(Object.entries(MIXES).map(([name, mix]) => [name, mix.exports])),
}

/**
 * What ClickHouse takes by itself for the spans of `ingest`, `reads` and the mixes of `storage`: the inserts of a whole
 * server are recorded, then sent to another ClickHouse with an empty table and no program beside it. No program around
 * this table can take less processor time for a span, or be faster on all processors than `rawMbPerSecondAtMost`.
 * `set`: only this one of `ENGINE_SETS`.
 */
export async function benchEngine({ spans, set }: { spans: number; set: string | undefined }): Promise<object> {
  const results: Record<string, object> = {}
  for (const [name, exportsOf] of Object.entries(ENGINE_SETS)) {
    if (set !== undefined && set !== name) continue
    results[name] = await measure(exportsOf(spans))
    process.stderr.write(`${name}: ${JSON.stringify(results[name])}\n`)
  }
  return { sets: results }
}

async function measure(exports: Iterable<Export>): Promise<object> {
  const folder = await mkdtemp(join(tmpdir(), 'spanhouse-engine-'))
  try {
    const { inserts, ...sent } = await record(exports, folder)
    return { ...sent, inserts: inserts.length, ...(await replay(inserts, { folder, ...sent })) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Sends the exports to a server, and keeps what it inserts. */
async function record(exports: Iterable<Export>, folder: string) {
  const inserts: Insert[] = []
  let rawBytes = 0
  await mkdir(join(folder, 'inserts'))
  const keep = (path: string): Writable | undefined => {
    if (!isOfSpans(path)) return undefined
    const insert = { path, file: join(folder, 'inserts', String(inserts.length)) }
    inserts.push(insert)
    return createWriteStream(insert.file)
  }
  const spans = await withRecordedServer({ dataDir: join(folder, 'recorded'), keep }, async server => {
    const accepted = (one: Export): void => {
      rawBytes += one.rawBytes
    }
    const { acceptedSpans } = await sendAll(server, exports, { concurrency: CONCURRENCY, accepted })
    await untilWritten(server, acceptedSpans)
    return acceptedSpans
  })
  return { inserts, spans, rawBytes }
}

const isOfSpans = (path: string): boolean =>
  new URL(path, 'http://clickhouse').searchParams.get('query')?.startsWith('INSERT INTO spans ') ?? false

async function replay(
  inserts: readonly Insert[],
  { folder, spans, rawBytes }: { folder: string; spans: number; rawBytes: number },
): Promise<object> {
  const dataDir = join(folder, 'replayed')
  const nothing = (path: string): undefined => {
    if (isOfSpans(path)) throw new Error('a server without spans inserted some')
  }
  // Migrates it.
  await withRecordedServer({ dataDir, keep: nothing }, async () => undefined)
  return withClickHouse(dataDir, async clickhouse => {
    const before = await childrensCpuSecondsOf(process.pid)
    const cpu = async (): Promise<number> => (await childrensCpuSecondsOf(process.pid)) - before
    const queue = inserts[Symbol.iterator]()
    const connection = async (): Promise<void> => {
      for (const { path, file } of queue) await post(clickhouse, { path, body: createReadStream(file) })
    }
    await Promise.all(Array.from({ length: CONNECTIONS }, connection))
    const inserted = await cpu()
    await untilQuiet(cpu)
    const merged = await cpu()
    const rows = Number(await post(clickhouse, { path: COUNT, body: Readable.from([]) }))
    if (rows !== spans) throw new Error(`${rows} of ${spans} spans are stored by what was recorded`)
    const micros = (seconds: number): number => Math.round((seconds / spans) * 1e7) / 10
    return {
      cpuMicrosPerSpanUntilInserted: micros(inserted),
      cpuMicrosPerSpanUntilMerged: micros(merged),
      rawMbPerSecondAtMost: Math.round((rawBytes / 1e6 / merged) * PROCESSORS),
    }
  })
}

/** Of the machine for which the goals are. */
const PROCESSORS = 2

const COUNT = `/?query=${encodeURIComponent('SELECT count() FROM spans')}`

async function untilQuiet(cpu: () => Promise<number>): Promise<void> {
  let used = await cpu()
  for (let quietMs = 0; quietMs < QUIET_MS; ) {
    await delay(LOOK_EVERY_MS)
    const now = await cpu()
    quietMs = now - used < (QUIET_SHARE * LOOK_EVERY_MS) / 1000 ? quietMs + LOOK_EVERY_MS : 0
    used = now
  }
}
