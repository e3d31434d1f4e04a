import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ServerProcess, startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { createChdbConnection } from 'chdb/connection'
import type { Export } from '../exports.ts'
import { sendAll, untilWritten } from '../load.ts'
import { rounded } from '../measured.ts'
import { MIXES } from './mixes.ts'
import { askAll } from './questions.ts'

const CONCURRENCY = 4

/**
 * What spans of real clients cost: each mix is sent over OTLP/HTTP to a server of its own. Then its questions are asked
 * over HTTP, of the parts as ingest left them and of one merged part; between the two, the bytes on disk are measured.
 */
export async function benchStorage({ spans }: { spans: number }): Promise<object> {
  const results: Record<string, object> = {}
  for (const [name, mix] of Object.entries(MIXES)) {
    process.stderr.write(`${name}: ${mix.about}\n`)
    results[name] = await measure(mix.exports(spans))
  }
  return { mixes: results }
}

async function measure(exports: Generator<Export>): Promise<object> {
  const dataDir = await mkdtemp(join(tmpdir(), 'spanhouse-storage-'))
  let server = await startServerProcess({ dataDir })
  try {
    const { traces, ...sent } = await ingest(server, exports)
    const unmerged = await askAll(server, traces)
    await server.stop()
    const stored = await measureDisk(dataDir)
    server = await startServerProcess({ dataDir, like: server })
    const merged = await askAll(server, traces)
    return {
      ...sent,
      ...stored,
      diskOfRaw: rounded(stored.diskBytesMerged / sent.rawBytes, 3),
      diskBytesPerSpan: rounded(stored.diskBytesMerged / sent.spans, 3),
      questions: { unmerged, merged },
    }
  } finally {
    if (server.ended() === undefined) await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Sends the exports and waits until all their spans are stored. */
async function ingest(server: ServerProcess, exports: Generator<Export>) {
  let [rawBytes, sentBytes] = [0, 0]
  const traces: string[] = []
  function* counted(): Generator<Export> {
    for (const one of exports) {
      rawBytes += one.rawBytes
      sentBytes += one.body.length
      traces.push(one.sample.trace_id)
      yield one
    }
  }
  const cpuBefore = await server.cpuSeconds()
  const started = performance.now()
  const { acceptedSpans } = await sendAll(server, counted(), { concurrency: CONCURRENCY })
  await untilWritten(server, acceptedSpans)
  const seconds = (performance.now() - started) / 1000
  const cpu = (await server.cpuSeconds()) - cpuBefore
  return {
    spans: acceptedSpans,
    rawBytes,
    gzipBytes: sentBytes,
    rawBytesPerSpan: rounded(rawBytes / acceptedSpans, 3),
    cpuMicrosPerSpan: rounded((cpu / acceptedSpans) * 1e6, 3),
    cpuSecondsPerRawGb: rounded(cpu / (rawBytes / 1e9), 3),
    // The exports are made meanwhile, in another process.
    rawMbPerSecond: rounded(rawBytes / 1e6 / seconds, 3),
    peakMemoryMb: Math.round((await server.peakBytes()) / 1e6),
    traces,
  }
}

/** The bytes on disk as ingest left them, and of one merged part by column. Indexes are in `diskBytesMerged` only. */
async function measureDisk(dataDir: string) {
  const connection = createChdbConnection({ path: join(dataDir, 'clickhouse') })
  const run = async (sql: string): Promise<string> =>
    Buffer.from((await connection.chdb.queryAsync(sql, { format: 'TSV' })).bytes())
      .toString()
      .trim()
  const number = async (sql: string): Promise<number> => Number(await run(sql))
  const parts = "FROM system.parts WHERE table = 'spans' AND active"
  try {
    const diskBytes = await number(`SELECT sum(bytes_on_disk) ${parts}`)
    const partsLeft = await number(`SELECT count() ${parts}`)
    // The parts of compact ones have one file for all columns.
    await run('ALTER TABLE spans MODIFY SETTING min_bytes_for_wide_part = 0')
    await run('OPTIMIZE TABLE spans FINAL')
    const columns = await run(`SELECT column, sum(column_bytes_on_disk) AS bytes FROM system.parts_columns
      WHERE table = 'spans' AND active GROUP BY column ORDER BY bytes DESC LIMIT 8`)
    const indexes = await run(
      `SELECT name, data_compressed_bytes FROM system.data_skipping_indices WHERE table = 'spans'`,
    )
    const toBytes = (rows: string): Record<string, number> =>
      Object.fromEntries(rows.split('\n').map(row => [row.split('\t')[0], Number(row.split('\t')[1])]))
    return {
      diskBytes,
      parts: partsLeft,
      diskBytesMerged: await number(`SELECT sum(bytes_on_disk) ${parts}`),
      columns: toBytes(columns),
      indexes: toBytes(indexes),
    }
  } finally {
    connection.close()
  }
}
