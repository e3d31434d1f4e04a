import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestServer } from '@spanhouse/clickhouse-server/test-server.testing.ts'
import { openPostgres, type Postgres, sql } from '@spanhouse/postgres'
import { type ServerProcess, startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { type Engine, openEngine } from '@spanhouse/span-store'
import { sendTo } from './api.ts'
import { quantile, rounded } from './measured.ts'

/** Rounds of each measurement, and how long they may take together. */
const ROUNDS = 20
const SECONDS_MAX = 15
/** Before they count. */
const WARM_UP_ROUNDS = 3
const PAGE = 50

const OUTPUTS = {
  score: { type: 'number' },
  success: { type: 'boolean' },
  grade: { type: 'string', enum: ['A', 'B'] },
}
const STEPS = [
  { key: 'testset', type: 'input', origin: 'custom' },
  { key: 'application', type: 'invocation', origin: 'auto' },
  {
    key: 'evaluator',
    type: 'annotation',
    origin: 'auto',
    schemas: { outputs: { type: 'object', properties: OUTPUTS } },
  },
]
const MEASURED = ['application', 'evaluator']

/** A run and how many scenarios it is filled with. */
interface Run {
  project_id: string
  run_id: string
  scenarios: number
}

interface Figures {
  p50Ms: number
  p95Ms: number
  /** Processor time of the server and its ClickHouse, which other load affects least. */
  cpuMs: number
  rounds: number
}

/**
 * Over HTTP, everything embedded: metrics of a run of many scenarios, each with an application's trace and an
 * evaluator's of two spans, a comparison of two runs of a tenth of that, and pages of scenarios with their results. The
 * runs are put into the stores of a server that is stopped meanwhile.
 */
export async function benchMetrics({ scenarios }: { scenarios: number }): Promise<object> {
  const dataDir = await mkdtemp(join(tmpdir(), 'spanhouse-bench-metrics-'))
  try {
    const first = await startServerProcess({ dataDir })
    const runs = await newRuns(first, [scenarios, scenarios / 10, scenarios / 10])
    await first.stop()
    const began = performance.now()
    await fillStores(dataDir, runs)
    const fillSeconds = Math.round((performance.now() - began) / 1000)
    const server = await startServerProcess({ dataDir, like: first })
    try {
      const ids = runs.map(({ run_id }) => run_id)
      return { scenarios, fillSeconds, ...(await measure(server, ids)) }
    } finally {
      await server.stop()
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function newRuns(server: ServerProcess, sizes: readonly number[]): Promise<Run[]> {
  const { project_id } = await sendTo(server, 'GET', '/projects/current')
  const runs = sizes.map(() => ({ data: { steps: STEPS } }))
  const made = (await sendTo(server, 'POST', '/evaluations/runs/', { runs })).runs
  return sizes.map((scenarios, index) => ({ project_id, run_id: made[index].id, scenarios }))
}

async function measure(server: ServerProcess, [large, one, other]: string[]): Promise<object> {
  const post = (path: string, body: object) => sendTo(server, 'POST', `/evaluations/${path}`, body)
  const refresh = (metrics: object) => post('metrics/refresh', { metrics: { run_id: large, ...metrics } })
  const began = performance.now()
  await refresh({})
  const firstMs = performance.now() - began
  process.stderr.write(`firstRunMetrics ${Math.round(firstMs)} ms\n`)
  const { scenarios } = await post('scenarios/query', { scenario: { run_id: large }, windowing: { limit: 10_000 } })
  const ids: string[] = scenarios.map(({ id }: { id: string }) => id)
  /** Scenarios from somewhere in the run, then their results, as a page that shows a run asks for them. */
  const page = async (): Promise<void> => {
    const windowing = { limit: PAGE, next: ids[Math.floor(Math.random() * (ids.length - PAGE))], order: 'ascending' }
    const { scenarios } = await post('scenarios/query', { scenario: { run_id: large }, windowing })
    const scenario_ids = scenarios.map(({ id }: { id: string }) => id)
    const { count } = await post('results/query', { result: { run_id: large, scenario_ids } })
    if (count !== STEPS.length * PAGE) throw new Error(`a page has ${count} results`)
  }
  const cases = (query: object) => () => post(`runs/${large}/cases`, { cases: { limit: PAGE, ...query } })
  const comparison = { baseline_run_id: one, run_ids: [other] }
  const score = { step_key: 'evaluator', path: 'attributes.ag.data.outputs.score' }
  const works: Record<string, () => Promise<unknown>> = {
    runMetrics: () => refresh({}),
    comparisonOfTenth: () => post('runs/compare', { comparison }),
    pageOfScenariosWithResults: page,
    pageOfCases: cases({ offset: ids.length / 2 }),
    pageOfCasesByScore: cases({ order_by: score }),
    scoresOfRun: () => sendTo(server, 'GET', `/evaluations/runs/${large}/scores`),
    oneScenario: () => refresh({ scenario_id: ids[0] }),
    fiveHundredScenarios: () => refresh({ scenario_ids: ids.slice(0, 500) }),
  }
  const figures: Record<string, Figures> = {}
  for (const [name, work] of Object.entries(works)) {
    figures[name] = await timed(server, work)
    process.stderr.write(`${name} ${JSON.stringify(figures[name])}\n`)
  }
  return { firstRunMetricsMs: Math.round(firstMs), ...figures }
}

async function timed(server: ServerProcess, work: () => Promise<unknown>): Promise<Figures> {
  for (let round = 0; round < WARM_UP_ROUNDS; round++) await work()
  const cpuBefore = await server.cpuSeconds()
  const times: number[] = []
  const end = performance.now() + SECONDS_MAX * 1_000
  while (times.length < ROUNDS && performance.now() < end) {
    const began = performance.now()
    await work()
    times.push(performance.now() - began)
  }
  const cpuSeconds = (await server.cpuSeconds()) - cpuBefore
  const at = (share: number): number => rounded(quantile(times, share), 1)
  const cpuMs = rounded((cpuSeconds * 1_000) / times.length, 1)
  return { p50Ms: at(0.5), p95Ms: at(0.95), cpuMs, rounds: times.length }
}

/** Fills runs in the embedded stores of a data folder that no server uses. Both stores work at the same time. */
async function fillStores(dataDir: string, runs: readonly Run[]): Promise<void> {
  const clickhouse = await startTestServer({ path: join(dataDir, 'clickhouse') })
  const engine = openEngine(clickhouse.url, { connections: 1 })
  const postgres = await openPostgres({ dataDir: join(dataDir, 'postgres') })
  try {
    const fillTables = async (): Promise<void> => {
      // Its triggers note who changes what, and a foreign key is checked row by row: neither is what is measured.
      await sql`set session_replication_role = replica`.execute(postgres.db)
      for (const run of runs) await fillRun(postgres.db, run)
    }
    const fillSpans = async (): Promise<void> => {
      for (const [day, run] of runs.entries())
        for (const step of MEASURED) await fillTraces(engine, { ...run, step, day })
    }
    await Promise.all([fillTables(), fillSpans()])
  } finally {
    await engine.close()
    await postgres.close()
    await clickhouse.stop()
  }
}

/** The embedded database ends a statement after 30 s. */
const ROWS_AT_ONCE = 10_000

/** Scenarios and cells. Trace ids come from the ids of cells; the nth scenario is of the nth testcase. */
async function fillRun(db: Postgres['db'], { project_id, run_id, scenarios }: Run): Promise<void> {
  for (let from = 1; from <= scenarios; from += ROWS_AT_ONCE) {
    const numbers = sql`generate_series(${from}::integer, ${Math.min(scenarios, from + ROWS_AT_ONCE - 1)}::integer) n`
    await sql`insert into evaluation_scenarios (project_id, id, run_id, status)
      select ${project_id}::uuid, md5(${run_id} || n)::uuid, ${run_id}::uuid, 'success' from ${numbers}`.execute(db)
    await sql`insert into evaluation_results
        (project_id, id, run_id, scenario_id, step_key, status, testcase_id, trace_id)
      select ${project_id}::uuid, md5(${run_id} || step || n || 'cell')::uuid, ${run_id}::uuid,
        md5(${run_id} || n)::uuid, step, 'success', md5('testcase' || n)::uuid,
        case when step != 'testset' then md5(${run_id} || step || n)::uuid end
      from ${numbers}, unnest(array['testset', 'application', 'evaluator']) step`.execute(db)
  }
}

/** In microseconds. */
const FIRST_DAY = 1_770_000_000_000_000
const DAY = 86_400_000_000

/** Traces of two spans with bodies of some hundred bytes. */
async function fillTraces(
  engine: Engine,
  { project_id, run_id, step, scenarios, day }: Run & { step: string; day: number },
) {
  const outputs =
    step === 'evaluator'
      ? `concat('"score":', toString(rand(1) % 1000 / 1000), ',"success":', if(rand(2) % 4 = 0, 'false', 'true'), ',"grade":"', ['A', 'B'][1 + rand(3) % 2], '"')`
      : `concat('"text":"', repeat('the answer is long ', 20), toString(number), '"')`
  await engine.command({
    text: `
INSERT INTO spans (project_id, is_root, start_time, trace_id, span_id, parent_id, trace_type, is_trace_head, span_name,
  duration_cumulative, tokens_cumulative_total, costs_cumulative_total, data, attributes, created_at)
SELECT {project_id:UUID}, at = 0, fromUnixTimestamp64Micro(toInt64({start:Int64} + n * 1000 + at), 'UTC'),
  MD5(concat({run_id:String}, {step:String}, toString(n))), toFixedString(substring(MD5(toString(number)), 1, 8), 8),
  if(at = 0, toFixedString('', 8), toFixedString('parentid', 8)), 'annotation', at = 0, {step:String}, 100 + rand(4) % 9000,
  rand(5) % 3000, (rand(6) % 100000) / 1000000, concat('{"outputs":{', ${outputs}, '}}'), '{}', now64(6)
FROM (SELECT number, intDiv(number, 2) + 1 AS n, number % 2 AS at FROM numbers({spans:UInt64}))`,
    params: { project_id, run_id, step, spans: scenarios * 2, start: FIRST_DAY + day * DAY },
  })
}
