import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises'
import { Agent } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type ServerProcess, startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { sendAll, untilWritten } from '../load.ts'
import { quantile, rounded } from '../measured.ts'
import { askAlone } from './alone.ts'
import { type Answer, ask as send } from './ask.ts'
import { QUESTIONS } from './questions.ts'
import { exportsOf, SPANS_PER_TRACE } from './traces.ts'

const RUNS = 40
/**
 * Of all questions, with other values, before any is measured: until then the server starts, and its code is not
 * compiled.
 */
const WARM_UP_RUNS = 10
/** A question that is slower than expected is asked less often. */
const QUESTION_MS_MAX = 10_000
const CONCURRENCY = 8
const MEMORY_EVERY_MS = 3_000
/**
 * How long ClickHouse must use less than so many cores. The program merges what the last inserts left up to 40 s after
 * them.
 */
const REST_S = 45
const RESTING_CORES = 0.1
const MERGES_S_MAX = 900

/** Keys of the data folders that are kept for the next run. */
const KEYS = { apiKey: `0badcafe.${'0'.repeat(64)}`, adminKey: 'bench-'.repeat(8), secretKey: 'bench-'.repeat(8) }

/**
 * Reading as seen from outside: a server is filled over OTLP/HTTP, and the questions are asked over HTTP, one after the
 * other: at once if this run filled it, beside the merges, and when those have ended. The folder of the data is kept
 * for the next run.
 */
export async function benchReads({ spans }: { spans: number }): Promise<object> {
  const traces = spans / SPANS_PER_TRACE
  const asked = await withMonth(spans, async (server, filled) => {
    const whileMerging = filled && (await askAll(server, traces))
    await untilMerged(server)
    return { ...(filled && { filled, whileMerging }), questions: await askAll(server, traces) }
  })
  const runs = { warmUp: WARM_UP_RUNS, measured: RUNS }
  return { spans, ...asked, engineAlone: await askAlone({ dataDir: await kept(spans), like: KEYS, traces, runs }) }
}

/** Merges have ended when ClickHouse needs hardly any processor time. */
async function untilMerged(server: ServerProcess): Promise<void> {
  let cpu = await server.clickhouseCpuSeconds()
  for (let waitedS = REST_S; waitedS <= MERGES_S_MAX; waitedS += REST_S) {
    await delay(REST_S * 1000)
    const now = await server.clickhouseCpuSeconds()
    const cores = (now - cpu) / REST_S
    if (cores < RESTING_CORES) return
    cpu = now
    process.stderr.write(`waiting for merges since ${waitedS} s, which use ${rounded(cores, 1)} cores\n`)
  }
  throw new Error(`ClickHouse still merges after ${MERGES_S_MAX} s`)
}

/** Uses a server with a month of `spans` spans; `filled` has the cost of filling it, unless an earlier run did. */
export async function withMonth<T>(
  spans: number,
  use: (server: ServerProcess, filled: object | undefined) => Promise<T>,
): Promise<T> {
  const dataDir = await kept(spans)
  const filled = existsSync(join(dataDir, FILLED)) ? undefined : await fill(dataDir, spans)
  const server = await startServerProcess({ dataDir, like: KEYS })
  try {
    return await use(server, filled)
  } finally {
    await server.stop()
  }
}

const FILLED = 'filled.json'

/** A folder for this number of spans of this data in this layout. */
async function kept(spans: number): Promise<string> {
  const hash = createHash('sha1').update(readFileSync(new URL('traces.ts', import.meta.url)))
  const ddl = new URL('../../clickhouse/', import.meta.url)
  for (const name of (await readdir(ddl)).filter(one => one.endsWith('.sql')).toSorted())
    hash.update(readFileSync(new URL(name, ddl)))
  return join(tmpdir(), 'spanhouse-bench', `reads-${spans}-${hash.digest('hex').slice(0, 8)}`)
}

async function fill(dataDir: string, spans: number): Promise<object> {
  await rm(dataDir, { recursive: true, force: true })
  await mkdir(dataDir, { recursive: true })
  const server = await startServerProcess({ dataDir, like: KEYS })
  try {
    const before = await cpuOf(server)
    const started = performance.now()
    let sent = 0
    const memory = await mostMemoryDuring(server, async () => {
      await sendAll(server, exportsOf(spans), {
        concurrency: CONCURRENCY,
        accepted: one => {
          sent += one.spans
          if (sent % 100_000 < one.spans) process.stderr.write(`${sent} of ${spans} spans are accepted\n`)
        },
      })
      await untilWritten(server, spans)
    })
    const after = await cpuOf(server)
    const microsPerSpan = (of: 'all' | 'clickhouse'): number => rounded(((after[of] - before[of]) / spans) * 1e6, 1)
    const filled = {
      cpuMicrosPerSpan: microsPerSpan('all'),
      clickhouseCpuMicrosPerSpan: microsPerSpan('clickhouse'),
      memoryMb: Math.round(memory / 1e6),
      spansPerSecond: Math.round(spans / ((performance.now() - started) / 1000)),
    }
    await writeFile(join(dataDir, FILLED), JSON.stringify(filled))
    return filled
  } finally {
    await server.stop()
  }
}

const cpuOf = async (server: ServerProcess) => ({
  all: await server.cpuSeconds(),
  clickhouse: await server.clickhouseCpuSeconds(),
})

/** The most memory that the processes hold together meanwhile, checked every few seconds. */
async function mostMemoryDuring(server: ServerProcess, work: () => Promise<void>): Promise<number> {
  const end = new AbortController()
  let bytes = 0
  const checking = (async () => {
    while (!end.signal.aborted) {
      bytes = Math.max(bytes, await server.memoryBytes())
      await delay(MEMORY_EVERY_MS, undefined, { signal: end.signal }).catch(() => {})
    }
  })()
  try {
    await Promise.race([work(), checking])
  } finally {
    end.abort()
  }
  await checking
  return bytes
}

async function askAll(server: ServerProcess, traces: number): Promise<object> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const answers: Record<string, object> = {}
  for (let run = 1; run <= WARM_UP_RUNS; run++)
    for (const { ask } of QUESTIONS) await send(server, agent, ask(RUNS + run, traces))
  for (const { name, goalMs, ask } of QUESTIONS) {
    answers[name] = { goalMs, ...(await measure(run => send(server, agent, ask(run, traces)), server)) }
    process.stderr.write(`${name}: ${JSON.stringify(answers[name])}\n`)
  }
  agent.destroy()
  return answers
}

/** The first run is not counted. */
async function measure(ask: (run: number) => Promise<Answer>, server: ServerProcess): Promise<object> {
  await ask(0)
  const answers: Answer[] = []
  const cpuBefore = await server.cpuSeconds()
  const until = performance.now() + QUESTION_MS_MAX
  for (let run = 1; run <= RUNS && performance.now() < until; run++) answers.push(await ask(run))
  const cpuMs = (((await server.cpuSeconds()) - cpuBefore) * 1000) / answers.length
  const at = (share: number, of: (one: Answer) => number): number => rounded(quantile(answers.map(of), share), 1)
  const parts = Object.keys(answers[0]?.timing ?? {}).map(part => [part, at(0.5, one => one.timing[part] ?? 0)])
  return {
    p50Ms: at(0.5, one => one.ms),
    p95Ms: at(0.95, one => one.ms),
    engineP95Ms: at(0.95, one => one.timing.engine ?? 0),
    cpuMs: rounded(cpuMs, 1),
    runs: answers.length,
    answerKb: at(0.5, one => one.bytes / 1000),
    count: at(0.5, one => one.count),
    medians: Object.fromEntries(parts),
  }
}
