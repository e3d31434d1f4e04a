import { randomUUID } from 'node:crypto'
import { clusterEngine, type Engine, openClusterReader, openEngine, SpanBatch, SpanWriter } from '@spanhouse/span-store'
import { type OpenTestCluster, openTestCluster } from '@spanhouse/span-store/spans.testing.ts'
import { partitionOf } from '@spanhouse/span-stream'
import { addExport } from '../fill.ts'
import { median, rounded } from '../measured.ts'
import { QUESTIONS, type Question } from '../query.ts'
import { LARGE_TRACES, makeLargeTrace, makeTrace, SPANS_PER_TRACE } from '../span-sets.ts'

const SHARDS = 2
const RUNS = 30
/** A question that is slower than expected is asked less often. */
const QUESTION_MS_MAX = 8_000
const TRACES_PER_BATCH = 1_600
const TRACES_PER_EXPORT = 50

/** The engine would cache where a condition matched before. */
const SETTINGS = { max_threads: 2, use_query_condition_cache: 0 }

const shardOf = (trace_id: string): number => partitionOf(Buffer.from(trace_id, 'hex'), SHARDS)

/**
 * What reads of a cluster take compared with one server, through the store's own functions: both have the same spans,
 * and each question is asked of one after the other. All servers share this machine's cores, so times say little; what
 * each server takes of them does, as its log has it: a server with cores of its own is done no later than it has used
 * them.
 */
export async function benchClusterReads({ spans }: { spans: number }): Promise<object> {
  const options = { isLogged: true }
  const [cluster, single] = [await openTestCluster(SHARDS, options), await openTestCluster(1, options)]
  const traces = spans / SPANS_PER_TRACE.small
  try {
    await fill(cluster, single, traces)
    const questions: { [name: string]: object } = {}
    for (const question of QUESTIONS.filter(({ set }) => set === 'small')) {
      questions[question.name] = await compare(question, { cluster, single, traces })
      process.stderr.write(`${question.name}: ${JSON.stringify(questions[question.name])}\n`)
    }
    return { spans, questions }
  } finally {
    await cluster.close()
    await single.close()
  }
}

async function fill(cluster: OpenTestCluster, single: OpenTestCluster, traces: number): Promise<void> {
  const shards = cluster.shards.map(({ own }) => own)
  const servers = [...shards, ...single.shards.map(({ own }) => own)]
  const writers = servers.map(engine => new SpanWriter(engine))
  for (const writer of writers) await writer.recover()
  const write = async (made: ReturnType<typeof makeTrace>[]): Promise<void> => {
    for (const [index, writer] of writers.entries()) {
      const batch = new SpanBatch()
      const own = index < SHARDS ? made.filter(([span]) => shardOf(span?.trace_id ?? '') === index) : made
      for (let from = 0; from < own.length; from += TRACES_PER_EXPORT)
        addExport(batch, own.slice(from, from + TRACES_PER_EXPORT).flat())
      await writer.write(batch)
    }
  }
  for (let trace = 0; trace < traces; trace += TRACES_PER_BATCH) {
    const count = Math.min(TRACES_PER_BATCH, traces - trace)
    await write(Array.from({ length: count }, (_, at) => makeTrace('small', trace + at, traces)))
    if ((trace / TRACES_PER_BATCH) % 10 === 0)
      process.stderr.write(`${trace * SPANS_PER_TRACE.small} spans are stored twice\n`)
  }
  for (const size of LARGE_TRACES) await write([makeLargeTrace(size)])
  for (const engine of servers) await engine.command({ text: 'OPTIMIZE TABLE spans FINAL', params: {} })
}

interface Place {
  cluster: OpenTestCluster
  single: OpenTestCluster
  traces: number
}

interface Readers {
  single: Engine
  cluster: Engine
  close(): Promise<void>
}

/** The servers log their statements with a comment, and on behalf of whom they ran them. */
function openReaders({ cluster, single }: Place, comment: string): Readers {
  const options = { connections: 2, settings: { ...SETTINGS, log_comment: comment } }
  const urls = cluster.cluster.servers.map(({ url }) => url)
  const own = urls.map(url => openEngine(url, options))
  const engine = openEngine(single.cluster.servers[0]?.url as string, options)
  const reader = openClusterReader(cluster.shards, options)
  return {
    single: engine,
    cluster: clusterEngine({
      reader,
      members: async () => own,
      shards: async () => own,
      shardsOf: async trace_id => [own[shardOf(trace_id)] as Engine],
    }),
    close: async () => void (await Promise.all([engine, reader, ...own].map(one => one.close()))),
  }
}

/**
 * The first runs fill caches and are not counted in the times: medians in milliseconds. Processor time is the mean of
 * all.
 */
async function compare({ name, ask }: Question, place: Place): Promise<object> {
  const comment = `${name} ${randomUUID()}`
  const { close, ...readers } = openReaders(place, comment)
  const times: Record<keyof typeof readers, number[]> = { single: [], cluster: [] }
  const until = performance.now() + QUESTION_MS_MAX
  let asked = 0
  for (let run = 0; run <= RUNS && performance.now() < until; run++, asked++)
    for (const [name, engine] of Object.entries(readers) as [keyof typeof readers, Engine][]) {
      const started = performance.now()
      await ask(engine, run, place.traces)
      if (run > 0) times[name].push(performance.now() - started)
    }
  await close()
  const [[singleCpuMs = 0], shardCpuMs] = (await Promise.all(
    [place.single, place.cluster].map(({ shards }) =>
      Promise.all(shards.map(async ({ own }) => rounded((await cpuMsOf(own, comment)) / asked))),
    ),
  )) as [number[], number[]]
  return {
    singleMs: rounded(median(times.single)),
    clusterMs: rounded(median(times.cluster)),
    singleCpuMs,
    shardCpuMs,
    busiestShare: rounded(Math.max(...shardCpuMs) / singleCpuMs),
    cpuShare: rounded(shardCpuMs.reduce((sum, one) => sum + one) / singleCpuMs),
  }
}

/** Processor time that a server has used for the statements with a comment, its own and those of others. */
async function cpuMsOf(server: Engine, comment: string): Promise<number> {
  await server.command({ text: 'SYSTEM FLUSH LOGS', params: {} })
  const [row] = await server.rows<{ ms: number }>({
    text: `SELECT sum(ProfileEvents['UserTimeMicroseconds'] + ProfileEvents['SystemTimeMicroseconds']) / 1000 AS ms
      FROM system.query_log WHERE type = 'QueryFinish' AND log_comment = {comment:String}`,
    params: { comment },
  })
  return row?.ms ?? 0
}
