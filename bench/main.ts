import { writeFile } from 'node:fs/promises'
import { cpus } from 'node:os'
import { readOptions } from '../test/read-options.ts'
import { benchCapacity } from './capacity/capacity.ts'
import { benchClusterGrowth } from './cluster/cluster-growth.ts'
import { benchClusterReads } from './cluster/cluster-reads.ts'
import { benchClusterWrites } from './cluster/cluster-writes.ts'
import { benchEngine, ENGINE_SETS } from './engine.ts'
import { benchEvaluations, benchWorkers } from './evaluations.ts'
import { benchEvaluators } from './evaluators.ts'
import { benchIngest } from './ingest.ts'
import { benchLargeTrace } from './large-trace.ts'
import { benchMetrics } from './metrics.ts'
import { benchNeighbour } from './neighbour.ts'
import { benchQuery } from './query.ts'
import { benchReads } from './reads/reads.ts'
import { benchRegistry } from './registry.ts'
import { benchOverhead } from './runs/overhead.ts'
import { benchStreams } from './runs/streams.ts'
import { benchSandbox } from './sandbox.ts'
import { benchStorage } from './storage/storage.ts'
import { benchWebList } from './web/list.ts'
import { benchWeb } from './web/pages.ts'
import { benchWebhooks } from './webhooks.ts'
import { benchWriters } from './writers/writers.ts'

interface Bench {
  about: string
  /** The default of N. */
  spans?: number
  /** What `--set` may name. */
  sets?: readonly string[]
  run(options: { spans: number; set: string | undefined }): Promise<object>
}

/** One row per benchmark: `npm run bench -- NAME [--spans N] [--set SET]`. */
const BENCHES: Record<string, Bench> = {
  ingest: {
    // Enough for the memory of a server to stop growing.
    spans: 500_000,
    about: 'exports to queryable rows, beside the same rows inserted straight',
    run: ({ spans }) => benchIngest({ spans, lagSeconds: 15 }),
  },
  engine: {
    spans: 1_000_000,
    about: 'what ClickHouse takes by itself for the inserts of a server, and for merging them',
    sets: Object.keys(ENGINE_SETS),
    run: ({ spans, set }) => benchEngine({ spans, set }),
  },
  query: {
    about: 'lists, traces, searches and analytics over stored spans',
    run: ({ spans }) => benchQuery({ spans }),
  },
  reads: {
    spans: 1_000_000,
    about: 'questions over HTTP, as users ask them, of a month filled over OTLP',
    run: ({ spans }) => benchReads({ spans }),
  },
  capacity: {
    spans: 300_000,
    about: 'what a span costs each part, and what carries 10 thousand, 100 thousand and a million a second',
    run: ({ spans }) => benchCapacity({ spans }),
  },
  'cluster-reads': {
    spans: 1_000_000,
    about: 'questions to two shards with half of the spans each, beside a server with all of them',
    run: ({ spans }) => benchClusterReads({ spans }),
  },
  'cluster-growth': {
    about: 'how long spans wait until they can be read while a shard is added, for each partition',
    run: () => benchClusterGrowth(),
  },
  'cluster-writes': {
    about: 'how storing grows from one shard to two, each process of a shard on an eighth of a core',
    run: ({ spans }) => benchClusterWrites({ spans }),
  },
  web: {
    about:
      'what somebody at a browser waits for: the list, the dashboard, traces of 10,000 and 100,000 spans, a long text',
    run: () => benchWeb(),
  },
  'web-list': {
    spans: 1_000_000,
    about: 'from a key in the filter of the list until its rows are drawn, in the month of reads',
    run: ({ spans }) => benchWebList({ spans }),
  },
  registry: {
    about: 'retrieving, listing and committing on 10,000 applications of ten revisions',
    run: () => benchRegistry({ artifacts: 10_000 }),
  },
  evaluations: {
    about: 'scenarios a second of a run with quick calls',
    run: () => benchEvaluations(),
  },
  workers: {
    about: 'scenarios a second of a run with one and with four workers over a slow model',
    run: () => benchWorkers(),
  },
  evaluators: {
    about: 'runs a second of every evaluator that needs no model',
    run: () => benchEvaluators(),
  },
  invoke: {
    about: 'what a run takes beyond its model, at 200 at a time',
    run: () => benchOverhead(),
  },
  streams: {
    about: 'how soon tokens are forwarded, and ingest with a hundred streams open',
    run: () => benchStreams(),
  },
  metrics: {
    about: 'metrics of 100,000 scenarios, comparisons of 10,000, pages of scenarios with results',
    run: () => benchMetrics({ scenarios: 100_000 }),
  },
  neighbour: {
    about: 'how soon the spans of a project are visible while another one floods, with a quota and without',
    run: () => benchNeighbour(),
  },
  large: {
    spans: 300_000,
    about: 'one trace of N spans: each tenth of it, its totals, and how soon other spans are visible meanwhile',
    run: ({ spans }) => benchLargeTrace({ spans }),
  },
  sandbox: {
    about: 'an evaluator of a caller in each language, run by run',
    run: () => benchSandbox(),
  },
  storage: {
    spans: 50_000,
    about: 'bytes on disk, processor time and questions over HTTP for spans of real clients, in four mixes',
    run: ({ spans }) => benchStorage({ spans }),
  },
  webhooks: {
    about: 'deliveries a second with one receiver in ten dead, and what subscriptions add to a commit',
    run: () => benchWebhooks(),
  },
  writers: {
    about: 'how storing grows with the number of writers, each on an eighth of a core',
    run: ({ spans }) => benchWriters({ spans }),
  },
}

const rows = Object.entries(BENCHES).map(
  ([known, { about, sets = [] }]) => `  ${known.padEnd(14)} ${about}${sets.length ? ` [--set ${sets.join('|')}]` : ''}`,
)
const USAGE = `Usage: npm run bench -- NAME [--spans N] [--set SET] [--out FILE]\n${rows.join('\n')}`

const { values, positionals } = readOptions(USAGE, {
  spans: { type: 'string' },
  set: { type: 'string' },
  out: { type: 'string' },
})
const [name = ''] = positionals
const bench = BENCHES[name]
const { set } = values
if (!bench || (set !== undefined && !bench.sets?.includes(set))) {
  process.stderr.write(`${USAGE}\n`)
  process.exit(2)
}
const result = {
  bench: name,
  at: new Date().toISOString(),
  machine: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}`,
  ...(await bench.run({ spans: Number(values.spans ?? bench.spans ?? 300_000), set })),
}
const text = `${JSON.stringify(result, null, 2)}\n`
process.stdout.write(text)
if (values.out) await writeFile(values.out, text)
process.exit(0)
