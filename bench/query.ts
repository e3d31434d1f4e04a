import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startClickHouse } from '@spanhouse/clickhouse-server'
import {
  type ActivityQuery,
  compileCount,
  compileGroups,
  compileSkeleton,
  FACET_ROWS_MAX,
  FACETS,
  type GroupQuery,
  parseActivityQuery,
  parseAnalyticsQuery,
  parseSpanQuery,
  printSql,
  type RowOrder,
  SKELETON_SPANS_MAX,
} from '@spanhouse/query'
import { cpuSecondsOf } from '@spanhouse/server/process-figures.testing.ts'
import {
  type Engine,
  openEngine,
  readActivity,
  readAggregates,
  readAnalytics,
  readFacets,
  readOneTrace,
  readPreviews,
  readRowPage,
  readSpanPage,
  readSpansByIds,
  readTraceHeads,
} from '@spanhouse/span-store'
import { type FillResult, failOn, fill, PROJECT } from './fill.ts'
import { quantile, rounded } from './measured.ts'
import {
  CUSTOMERS,
  LARGE_TRACES,
  largeTraceId,
  RARE_WORD,
  ROUTES,
  SPANS_PER_TRACE,
  type SpanSet,
  traceIdOf,
} from './span-sets.ts'

const RUNS = 40
const DAY = { oldest: '2026-10-02T00:00:00Z', newest: '2026-10-03T00:00:00Z' }
const MONTH = { oldest: '2026-10-01T00:00:00Z', newest: '2026-10-31T00:00:00Z' }

/** One question, asked with other values each time. Goals are milliseconds at 10 million spans (`small`). */
export interface Question {
  name: string
  set: SpanSet
  goalMs?: number
  ask(engine: Engine, run: number, traces: number): Promise<unknown>
}

const spansBy = async (engine: Engine, conditions: object[], limit = 50): Promise<unknown> => {
  const query = parseSpanQuery({ filtering: { conditions }, windowing: { limit } }, 'span')
  const { spans } = await readSpanPage(engine, { project_id: PROJECT, query })
  return spans.map(span => span.toJSON())
}
/** There is memory for everything. */
const UNHELD = { hold: () => undefined, release: () => undefined }
const tracesBy = (engine: Engine, conditions: object[], limit = 50): Promise<unknown> => {
  const query = parseSpanQuery({ filtering: { conditions }, windowing: { limit } }, 'trace')
  return readTraceHeads(engine, { project_id: PROJECT, query })
}
const rootsIn = (window: object) =>
  parseSpanQuery({ filtering: { conditions: [IS_ROOT] }, windowing: { ...window, limit: 100 } }, 'span')
const rowsBy = async (engine: Engine, order_by: RowOrder): Promise<unknown> => {
  const { rows } = await readRowPage(engine, { project_id: PROJECT, query: rootsIn(MONTH), order_by })
  return readPreviews(engine, { project_id: PROJECT, rows, attributes: [] })
}
const tracesIn = (window: object) =>
  parseSpanQuery({ filtering: { conditions: [IS_ROOT] }, windowing: window }, 'trace')
const groupsBy = (engine: Engine, asked: Partial<GroupQuery> & Pick<GroupQuery, 'query'>): Promise<unknown> => {
  const query = { amounts: 'total', order_by: 'costs', values: 100, count_min: 1, ...asked } as const
  return readAggregates(engine, compileGroups(PROJECT, query))
}
const attribute = (key: string, value: unknown, operator = 'is') => ({ field: 'attributes', key, operator, value })
const IS_ROOT = { field: 'parent_id', operator: 'is', value: null }
const tokens = attribute('ag.metrics.tokens.cumulative.total', 3_700, 'gt')
const traceOf = (set: SpanSet) => (engine: Engine, run: number, traces: number) => {
  const trace_id = traceIdOf(set, Math.floor((traces * (run + 0.5)) / (RUNS + 1)))
  return spansOf(engine, trace_id)
}
const spansOf = async (engine: Engine, trace_id: string): Promise<unknown> => {
  const spans = await readSpansByIds(engine, { project_id: PROJECT, trace_ids: [trace_id] }, UNHELD)
  return spans.map(span => span.toJSON())
}
const skeletonOf = (engine: Engine, trace_id: string): Promise<unknown> => {
  const page = { offset: 0, limit: SKELETON_SPANS_MAX }
  const statement = printSql(compileSkeleton({ project_id: PROJECT, trace_id }, page))
  return readOneTrace(engine, trace_id, from => from.rows(statement))
}
const analytics =
  (body: object) =>
  (engine: Engine): Promise<unknown> =>
    readAnalytics(engine, { project_id: PROJECT, query: parseAnalyticsQuery({}, { windowing: MONTH, ...body }) })
const customer = (run: number) => attribute('customer', `customer-${(run * 131) % CUSTOMERS}`)
const route = (run: number) => attribute('http.route', `/v1/items/${(run * 17) % ROUTES}`)
const sessions = (realtime: boolean): ActivityQuery =>
  parseActivityQuery({ realtime, windowing: { ...MONTH, limit: 50 } })

export const QUESTIONS: readonly Question[] = [
  { name: 'newest 50 roots', set: 'small', goalMs: 10, ask: engine => spansBy(engine, [IS_ROOT]) },
  {
    name: '50 roots by cumulative tokens',
    set: 'small',
    goalMs: 10,
    ask: engine => spansBy(engine, [IS_ROOT, tokens]),
  },
  {
    name: '50 roots by an attribute of 10,000 values',
    set: 'small',
    goalMs: 60,
    ask: (engine, run) => spansBy(engine, [IS_ROOT, customer(run)]),
  },
  {
    name: '50 roots by an attribute of 1,000 values',
    set: 'small',
    goalMs: 60,
    ask: (engine, run) => spansBy(engine, [IS_ROOT, route(run)]),
  },
  {
    name: '50 roots by an attribute of 3 values',
    set: 'small',
    goalMs: 60,
    ask: engine => spansBy(engine, [IS_ROOT, attribute('env', 'staging')]),
  },
  {
    name: '50 roots by an attribute value that nobody has',
    set: 'small',
    goalMs: 60,
    ask: (engine, run) => spansBy(engine, [IS_ROOT, attribute('customer', `nobody-${run}`)]),
  },
  {
    name: '50 spans by an attribute of 10,000 values',
    set: 'small',
    ask: (engine, run) => spansBy(engine, [customer(run)]),
  },
  {
    name: '50 traces with a span by an attribute of 10,000 values',
    set: 'small',
    ask: (engine, run) => tracesBy(engine, [customer(run)]),
  },
  {
    name: '50 traces with a span by an attribute of 3 values',
    set: 'small',
    ask: engine => tracesBy(engine, [attribute('env', 'staging')]),
  },
  { name: 'list of 100 roots with previews', set: 'small', goalMs: 50, ask: engine => rowsBy(engine, 'time') },
  {
    name: 'list of the 100 most expensive roots, 30 days',
    set: 'small',
    goalMs: 150,
    ask: engine => rowsBy(engine, 'costs'),
  },
  {
    name: 'count of roots in 120 parts of 30 days',
    set: 'small',
    goalMs: 150,
    ask: engine => readAggregates(engine, compileCount(PROJECT, rootsIn(MONTH), 120)),
  },
  {
    name: 'values of 6 fields of roots, 30 days',
    set: 'small',
    goalMs: 300,
    ask: engine =>
      readFacets(engine, {
        project_id: PROJECT,
        query: rootsIn(MONTH),
        among: FACET_ROWS_MAX,
        facets: FACETS,
        limit: 10,
      }),
  },
  {
    name: 'sums of roots in 60 parts of 30 days',
    set: 'small',
    goalMs: 400,
    ask: engine => groupsBy(engine, { query: rootsIn(MONTH), buckets: 60 }),
  },
  {
    name: 'sums of roots by session, 30 days',
    set: 'small',
    goalMs: 400,
    ask: engine => groupsBy(engine, { query: rootsIn(MONTH), by: 'session_id', order_by: 'last' }),
  },
  {
    name: 'sums of roots by environment, a day',
    set: 'small',
    goalMs: 400,
    ask: engine => groupsBy(engine, { query: rootsIn(DAY), by: 'environment' }),
  },
  {
    name: 'own sums of all spans by model, a day',
    set: 'small',
    goalMs: 400,
    ask: engine => groupsBy(engine, { query: tracesIn(DAY), by: 'model', amounts: 'own' }),
  },
  ...LARGE_TRACES.map(
    (spans): Question => ({
      name: `skeleton of ${spans} spans`,
      set: 'small',
      ask: engine => skeletonOf(engine, largeTraceId(spans)),
    }),
  ),
  { name: 'trace of 10 spans', set: 'small', goalMs: 15, ask: traceOf('small') },
  ...LARGE_TRACES.map(
    (spans): Question => ({
      name: `trace of ${spans} spans`,
      set: 'small',
      ask: engine => spansOf(engine, largeTraceId(spans)),
    }),
  ),
  ...['numeric/continuous ag.metrics.duration.cumulative', 'categorical/single ag.type.span'].map((spec): Question => {
    const [type = '', path = ''] = spec.split(' ')
    return {
      name: `analytics, ${spec}, 30 days`,
      set: 'small',
      goalMs: 300,
      ask: analytics({ specs: [{ type, path }] }),
    }
  }),
  { name: 'analytics, a day of hours', set: 'small', ask: analytics({ windowing: { ...DAY, interval: 60 } }) },
  {
    name: 'analytics, all defaults, 30 days',
    set: 'small',
    goalMs: 300,
    ask: analytics({}),
  },
  {
    name: 'substring in outputs, frequent',
    set: 'chat',
    goalMs: 400,
    ask: engine => spansBy(engine, [attribute('ag.data.outputs', 'garden summer', 'contains')]),
  },
  {
    name: 'substring in outputs, rare',
    set: 'chat',
    goalMs: 400,
    ask: engine => spansBy(engine, [attribute('ag.data.outputs', RARE_WORD, 'contains')]),
  },
  {
    name: 'substring in outputs that nobody has',
    set: 'chat',
    goalMs: 400,
    ask: (engine, run) => spansBy(engine, [attribute('ag.data.outputs', `nobody${run}`, 'contains')]),
  },
  {
    name: 'content, frequent words',
    set: 'chat',
    goalMs: 400,
    ask: engine => spansBy(engine, [{ field: 'content', operator: 'contains', value: 'garden doctor' }]),
  },
  {
    name: 'content, a rare word',
    set: 'chat',
    goalMs: 400,
    ask: engine => spansBy(engine, [{ field: 'content', operator: 'contains', value: RARE_WORD }]),
  },
  {
    name: 'content, a word that nobody has',
    set: 'chat',
    goalMs: 400,
    ask: (engine, run) => spansBy(engine, [{ field: 'content', operator: 'contains', value: `nobody${run}` }]),
  },
  {
    name: 'sessions, a page',
    set: 'chat',
    goalMs: 100,
    ask: engine => readActivity(engine, { project_id: PROJECT, actor: 'session', query: sessions(true) }),
  },
]

/** Where the data sets are kept for the next run. */
const FOLDER = join(tmpdir(), 'spanhouse-bench')

/**
 * Latencies of reading through the store's own functions; see the README. `spans` is the size of the set of small
 * spans; the set of chats has a tenth of it.
 */
export async function benchQuery({ spans }: { spans: number }): Promise<object> {
  const sets: { [set: string]: object } = {}
  for (const [set, size] of [
    ['small', spans],
    ['chat', spans / 10],
  ] as const) {
    const place = join(FOLDER, `${set}-${size}-${layoutOf()}`)
    const filled: FillResult | undefined = await fill({ set, spans: size, folder: place })
    sets[set] = { spans: size, ...(filled && { filled }), ...(await askAll(set, size, place)) }
  }
  return { sets }
}

/** Kept data sets are useless for another table, or once the generator has changed. */
const layoutOf = (): string =>
  ['../clickhouse/001_initial.sql', './span-sets.ts']
    .reduce((hash, file) => hash.update(readFileSync(new URL(file, import.meta.url))), createHash('sha1'))
    .digest('hex')
    .slice(0, 8)

async function askAll(set: SpanSet, spans: number, folder: string): Promise<object> {
  const server = await startClickHouse({ path: join(folder, 'clickhouse'), onDeath: failOn })
  // The engine would cache where a condition matched before.
  const settings = { max_threads: 2, use_query_condition_cache: 0 } as const
  const engine = openEngine(server.url, { connections: 1, settings })
  await engine.command({ text: 'OPTIMIZE TABLE spans FINAL', params: {} })
  const questions: { [name: string]: object } = {}
  for (const { name, goalMs, ask } of QUESTIONS.filter(question => question.set === set)) {
    const read = await readBy(engine, run => ask(engine, run, spans / SPANS_PER_TRACE[set]))
    const times = await measure(run => ask(engine, run, spans / SPANS_PER_TRACE[set]))
    questions[name] = { ...(goalMs && { goalMs }), ...times, ...read }
    process.stderr.write(`${name}: ${JSON.stringify(questions[name])}\n`)
  }
  const [disk] = await engine.rows<{ bytes: number; parts: number }>({
    text: "SELECT sum(bytes_on_disk) / sum(rows) AS bytes, count() AS parts FROM system.parts WHERE active AND table = 'spans'",
    params: {},
  })
  await engine.close()
  await server.stop()
  return { diskBytesPerSpan: disk?.bytes.toFixed(1), parts: disk?.parts, questions }
}

/** What the engine reads for one question, before compression; the median of three with other values. */
async function readBy(engine: Engine, ask: (run: number) => Promise<unknown>): Promise<object> {
  const counters = async (): Promise<{ rows: number; bytes: number }> => {
    const text =
      "SELECT sumIf(value, event = 'SelectedRows') AS rows, sumIf(value, event = 'SelectedBytes') AS bytes FROM system.events"
    const [row] = await engine.rows<{ rows: number; bytes: number }>({ text, params: {} })
    return row as { rows: number; bytes: number }
  }
  const reads: { rows: number; bytes: number }[] = []
  for (let run = 1; run <= 3; run++) {
    const before = await counters()
    await ask(run)
    const after = await counters()
    reads.push({ rows: after.rows - before.rows, bytes: after.bytes - before.bytes })
  }
  reads.sort((one, other) => one.bytes - other.bytes)
  return { readRows: reads[1]?.rows, readKb: Math.round((reads[1]?.bytes ?? 0) / 1000) }
}

/** The first run fills caches and is not counted. Slow questions are asked less often. */
async function measure(ask: (run: number) => Promise<unknown>): Promise<object> {
  await ask(0)
  const times: number[] = []
  let rows = 0
  const before = await cpuSecondsOf(process.pid)
  const until = performance.now() + 15_000
  for (let run = 1; run <= RUNS && performance.now() < until; run++) {
    const started = performance.now()
    const answer = await ask(run)
    times.push(performance.now() - started)
    rows = Array.isArray(answer) ? answer.length : rows
  }
  const cpuSeconds = (await cpuSecondsOf(process.pid)) - before
  const at = (share: number): number => rounded(quantile(times, share), 1)
  const cpuMs = rounded((cpuSeconds * 1000) / times.length, 1)
  return { p50Ms: at(0.5), p95Ms: at(0.95), cpuMs, runs: times.length, rows }
}
