import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ServerProcess, startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { type Export, makeExport, SPANS_PER_EXPORT } from './exports.ts'
import { measureFloor } from './floor.ts'
import { sendAll, untilWritten, writtenOf } from './load.ts'
import { quantile, rounded, until } from './measured.ts'

const SEED = 7
/** Sent before anything is measured: the rates are those of a server that has compiled its code. */
const WARM_UP_SEED = 6
const WARM_UP_SPANS = 50_000
const CONCURRENCY = 8

export interface IngestOptions {
  spans: number
  lagSeconds: number
}

/** From exports to rows that queries see, on one machine with everything embedded; README.md explains the figures. */
export async function benchIngest({ spans, lagSeconds }: IngestOptions): Promise<object> {
  const dataDir = await mkdtemp(join(tmpdir(), 'spanhouse-bench-'))
  try {
    const server = await startServerProcess({ dataDir })
    await fullSpeed(server, seeded(WARM_UP_SEED, WARM_UP_SPANS))
    const exports = exportsOf(spans)
    const full = await fullSpeed(server, exports)
    const doors = await compareDoors(server)
    const lag = await lagAtRate(server, full.queryableSpansPerSecond / 2 / SPANS_PER_EXPORT, lagSeconds)
    const peakMemoryMb = Math.round((await server.peakBytes()) / 1e6)
    await server.stop()
    const stored = await measureFloor(dataDir, exports)
    const { floor, baseline } = stored
    return {
      spans,
      ...full,
      ...doors,
      lagAtHalfRate: lag,
      peakMemoryMb,
      ...stored,
      ratioToFloor: {
        RowBinary: rounded(full.queryableSpansPerSecond / floor.RowBinary.perSecond, 3),
        JSONEachRow: rounded(full.queryableSpansPerSecond / floor.JSONEachRow.perSecond, 3),
      },
      ratioToBaseline: rounded(full.queryableSpansPerSecond / baseline.perSecond, 3),
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** The exports with the measured spans, in the order in which they are sent. */
export const exportsOf = (spans: number): Export[] => seeded(SEED, spans)

function seeded(seed: number, spans: number): Export[] {
  const count = Math.ceil(spans / SPANS_PER_EXPORT)
  const startMs = Date.now() - count * 100
  return Array.from({ length: count }, (_, index) => makeExport(seed, index, startMs))
}

async function fullSpeed(server: ServerProcess, exports: readonly Export[]) {
  const before = await writtenOf(server)
  const cpuBefore = await server.cpuSeconds()
  const started = performance.now()
  const { acceptedSpans, seconds, overloaded } = await sendAll(server, exports, { concurrency: CONCURRENCY })
  await untilWritten(server, before + acceptedSpans)
  const total = (performance.now() - started) / 1000
  const cpu = (await server.cpuSeconds()) - cpuBefore
  return {
    acceptedSpansPerSecond: Math.round(acceptedSpans / seconds),
    queryableSpansPerSecond: Math.round(acceptedSpans / total),
    overloaded,
    cpuSecondsPerMillionSpans: rounded((cpu / acceptedSpans) * 1e6, 3),
    bytesPerSpanRaw: Math.round(exports.reduce((sum, one) => sum + one.rawBytes, 0) / acceptedSpans),
  }
}

const DOOR_SEED = 20
const DOOR_ROUNDS = 4
const DOOR_SPANS = 100_000

/** The rates at which exports are accepted over HTTP and gRPC, in turns, so that the machine is the same for both. */
async function compareDoors(server: ServerProcess) {
  const sums = { http: { spans: 0, seconds: 0 }, grpc: { spans: 0, seconds: 0 } }
  for (let turn = 0; turn < DOOR_ROUNDS; turn++)
    for (const door of ['http', 'grpc'] as const) {
      const exports = seeded(DOOR_SEED + 2 * turn + (door === 'grpc' ? 1 : 0), DOOR_SPANS / DOOR_ROUNDS)
      const before = await writtenOf(server)
      const { acceptedSpans, seconds } = await sendAll(server, exports, { concurrency: CONCURRENCY, door })
      sums[door].spans += acceptedSpans
      sums[door].seconds += seconds
      // The stream drains before the other protocol starts.
      await untilWritten(server, before + acceptedSpans)
    }
  const rate = ({ spans, seconds }: { spans: number; seconds: number }): number => spans / seconds
  return {
    acceptedOverHttpPerSecond: Math.round(rate(sums.http)),
    acceptedOverGrpcPerSecond: Math.round(rate(sums.grpc)),
    ratioOfGrpcToHttp: rounded(rate(sums.grpc) / rate(sums.http), 3),
  }
}

/** Milliseconds from the 202 of an export to the first answer that has one of its spans. */
async function lagAtRate(server: ServerProcess, rate: number, seconds: number) {
  const lags: Promise<number>[] = []
  let isLooking = false
  const exports = seeded(SEED + 1, Math.max(1, Math.round(rate * seconds)) * SPANS_PER_EXPORT)
  await sendAll(server, exports, {
    concurrency: CONCURRENCY,
    rate,
    // One at a time: many probes at once would be a query load of their own.
    accepted: sent => {
      if (isLooking) return
      isLooking = true
      lags.push(
        visibleAfter(server, sent).finally(() => {
          isLooking = false
        }),
      )
    },
  })
  const all = await Promise.all(lags)
  return {
    spansPerSecond: Math.round(rate * SPANS_PER_EXPORT),
    samples: all.length,
    p50Ms: Math.round(quantile(all, 0.5)),
    p99Ms: Math.round(quantile(all, 0.99)),
  }
}

async function visibleAfter({ url, apiKey }: ServerProcess, { sample }: Export): Promise<number> {
  const started = performance.now()
  const path = `${url}/api/spans/${sample.trace_id}/${sample.span_id}`
  await until(async () => {
    const answer = await fetch(path, { headers: { authorization: `ApiKey ${apiKey}` } })
    return ((await answer.json()) as { count: number }).count === 1
  }, 25)
  return performance.now() - started
}
