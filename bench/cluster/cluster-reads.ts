import { clusterEngine, type Engine, openClusterReader, openEngine, SpanBatch, SpanWriter } from '@spanhouse/span-store'
import { type OpenTestCluster, openTestCluster } from '@spanhouse/span-store/spans.testing.ts'
import { partitionOf } from '@spanhouse/span-stream'
import { addExport } from '../fill.ts'
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
 * How long reads of a cluster take compared with one server, through the store's own functions: both have the same spans,
 * and each question is asked of one after the other. A shard alone, with half of the spans, shows what half of the work
 * takes; all servers share the machine's cores with this process.
 */
export async function benchClusterReads({ spans }: { spans: number }): Promise<object> {
  const [cluster, single] = [await openTestCluster(SHARDS), await openTestCluster(1)]
  const traces = spans / SPANS_PER_TRACE.small
  try {
    await fill(cluster, single, traces)
    const asked = openReaders(cluster, single)
    const questions: { [name: string]: object } = {}
    for (const question of QUESTIONS.filter(({ set }) => set === 'small')) {
      questions[question.name] = await compare(question, asked, traces)
      process.stderr.write(`${question.name}: ${JSON.stringify(questions[question.name])}\n`)
    }
    await Promise.all(Object.values(asked).map(engine => engine.close()))
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

interface Readers {
  single: Engine
  cluster: Engine
  half: Engine
}

function openReaders(cluster: OpenTestCluster, single: OpenTestCluster): Readers {
  const options = { connections: 2, settings: SETTINGS }
  const urls = cluster.cluster.servers.map(({ url }) => url)
  const own = urls.map(url => openEngine(url, options))
  return {
    single: openEngine(single.cluster.servers[0]?.url as string, options),
    cluster: clusterEngine({
      reader: openClusterReader(urls.slice(0, 1), options),
      members: async () => own,
      shards: async () => own,
      shardsOf: async trace_id => [own[shardOf(trace_id)] as Engine],
    }),
    half: openEngine(urls[0] as string, options),
  }
}

/** The first runs fill caches and are not counted. Medians in milliseconds. */
async function compare({ ask }: Question, asked: Readers, traces: number): Promise<object> {
  const times: Record<keyof Readers, number[]> = { single: [], cluster: [], half: [] }
  const readers = Object.entries(asked) as [keyof Readers, Engine][]
  for (const [, engine] of readers) await ask(engine, 0, traces)
  const until = performance.now() + QUESTION_MS_MAX
  for (let run = 1; run <= RUNS && performance.now() < until; run++)
    for (const [name, engine] of readers) {
      const started = performance.now()
      await ask(engine, run, traces)
      times[name].push(performance.now() - started)
    }
  const [one, two, half] = (['single', 'cluster', 'half'] as const).map(name => medianOf(times[name])) as [
    number,
    number,
    number,
  ]
  return { singleMs: round(one), clusterMs: round(two), halfMs: round(half), ratio: round(two / one) }
}

const medianOf = (times: number[]): number =>
  times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? Number.NaN
const round = (value: number): number => Math.round(value * 100) / 100
