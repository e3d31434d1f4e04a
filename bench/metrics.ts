import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startTestServer } from '@spanhouse/clickhouse-server/test-server.testing.ts'
import {
  compareRuns,
  comparison,
  copyChanges,
  createMetrics,
  createRuns,
  listRows,
  newRun,
  type RunRow,
  readRunCases,
  runCases,
  type Scope,
  summariseScores,
} from '@spanhouse/evaluation'
import { openPostgres, sql } from '@spanhouse/postgres'
import { type Engine, migrateSpans, openEngine } from '@spanhouse/span-store'
import { validate } from '@spanhouse/validation'
import { READER_ENGINE } from '../packages/server/parts.ts'
import { newProject } from './registry.ts'

const ROUNDS = 20
const PAGE = 50
const CLICKHOUSE = new URL('../clickhouse', import.meta.url).pathname

interface Figures {
  p50Ms: number
  p95Ms: number
}

/**
 * Metrics of a run of many scenarios, each with an application's trace and an evaluator's of five spans, comparisons of
 * two runs of a tenth of that, and pages. On `DATABASE_URL` when it is set, otherwise on the embedded database.
 */
export async function benchMetrics({ scenarios }: { scenarios: number }): Promise<object> {
  const url = process.env.DATABASE_URL
  const dataDir = await mkdtemp(join(tmpdir(), 'spanhouse-bench-metrics-'))
  const postgres = await openPostgres(url ? { url } : { dataDir })
  const server = await startTestServer()
  const filler = openEngine(server.url, { connections: 1 })
  const engine = openEngine(server.url, READER_ENGINE)
  try {
    await postgres.migrate()
    await migrateSpans(filler, CLICKHOUSE)
    const project = await newProject(postgres.db)
    const runtime = { servicesUrl: 'http://127.0.0.1/services', uriPrefix: 'agenta' }
    const scope: Scope = { db: postgres.db, ...project, runtime }
    return {
      database: url ? 'server' : 'embedded',
      scenarios,
      ...(await measure(scope, { engine, filler }, scenarios)),
    }
  } finally {
    await filler.close()
    await engine.close()
    await server.stop()
    await postgres.close()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function measure(
  scope: Scope,
  { engine, filler }: { engine: Engine; filler: Engine },
  scenarios: number,
): Promise<object> {
  const stores = { db: scope.db, engine }
  const large = await fill(scope, filler, scenarios)
  const [one, other] = [await fill(scope, filler, scenarios / 10), await fill(scope, filler, scenarios / 10)]
  const began = performance.now()
  await copyChanges(stores)
  const copyMs = performance.now() - began
  const metrics = createMetrics({ engine, waitingMs: async () => 0 })
  const all = await listRows(scope, 'scenarios', { filter: { run_id: large.id }, windowing: { limit: 1_000 } as never })
  const ids: string[] = []
  for await (const { id } of all.rows) ids.push(id)
  const places = ids.slice(0, 500).map(scenario_id => ({ run_id: large.id, scenario_id }))
  const score = { step_key: 'evaluator', path: 'attributes.ag.data.outputs.score' }
  const cases = (asked: object) => {
    const query = validate(runCases, { limit: PAGE, ...asked }, 'body')
    return timed(() => readRunCases(scope, engine, { run: large, query }))
  }
  const query = validate(comparison, { baseline_run_id: one.id, run_ids: [other.id] }, 'body')
  return {
    cells: scenarios * 3.6,
    copyMs: Math.round(copyMs),
    run: await timed(() => metrics.refresh(scope, [{ run_id: large.id }])),
    oneScenario: await timed(() => metrics.refresh(scope, places.slice(0, 1))),
    fiveHundredScenarios: await timed(() => metrics.refresh(scope, places)),
    comparisonOfTenth: await timed(() => compareRuns(scope, engine, query)),
    scoresOfRun: await timed(() => summariseScores(scope, engine, large)),
    pageOfCases: await cases({ offset: scenarios / 2 }),
    pageOfCasesByScore: await cases({ order_by: score }),
    pageOfScenariosWithResults: await timed(() => readPage(scope, large, ids)),
  }
}

/** Scenarios from somewhere in a run, with their results and metrics, as a page that shows a run asks for them. */
async function readPage(scope: Scope, { id: run_id }: RunRow, ids: readonly string[]): Promise<void> {
  const next = ids[Math.floor(Math.random() * (ids.length - PAGE))] as string
  const windowing = { limit: PAGE, next, order: 'ascending' } as never
  const page: string[] = []
  for await (const { id } of (await listRows(scope, 'scenarios', { filter: { run_id }, windowing })).rows) page.push(id)
  for (const name of ['results', 'metrics'] as const)
    for await (const _ of (await listRows(scope, name, { filter: { run_id, scenario_ids: page } })).rows);
}

async function timed(work: () => Promise<unknown>): Promise<Figures> {
  const times: number[] = []
  for (let round = 0; round < ROUNDS + 3; round++) {
    const began = performance.now()
    await work()
    if (round >= 3) times.push(performance.now() - began)
  }
  times.sort((a, b) => a - b)
  const at = (share: number): number => Math.round((times[Math.floor(share * times.length)] as number) * 10) / 10
  return { p50Ms: at(0.5), p95Ms: at(0.95) }
}

const OUTPUTS = { score: { type: 'number' }, success: { type: 'boolean' }, grade: { type: 'string', enum: ['A'] } }
const steps = [
  { key: 'testset', type: 'input', origin: 'custom' },
  { key: 'application', type: 'invocation', origin: 'auto' },
  {
    key: 'evaluator',
    type: 'annotation',
    origin: 'auto',
    schemas: { outputs: { type: 'object', properties: OUTPUTS } },
  },
]

/** A run whose traces are stored. Trace ids come from the ids of cells; the nth scenario is of the nth testcase. */
async function fill(scope: Scope, engine: Engine, scenarios: number): Promise<RunRow> {
  const [run] = await createRuns(scope, [validate(newRun, { data: { steps } }, 'body')])
  const { id } = run as RunRow
  for (let from = 1; from <= scenarios; from += ROWS_AT_ONCE) {
    const some = { id, from, to: Math.min(scenarios, from + ROWS_AT_ONCE - 1) }
    await fillScenarios(scope, some)
    for (const { key, type } of steps) await fillCells(scope, { ...some, key, type })
  }
  for (const step of ['application', 'evaluator'])
    await fillTraces(engine, { project: scope.project_id, id, scenarios, step })
  return run as RunRow
}

/** The embedded database ends a statement after 30 s. */
const ROWS_AT_ONCE = 5_000
interface Some {
  id: string
  from: number
  to: number
}

const fillScenarios = ({ db, project_id }: Scope, { id, from, to }: Some): Promise<unknown> =>
  sql`insert into evaluation_scenarios (project_id, id, run_id, status)
    select ${project_id}::uuid, md5(${id} || n)::uuid, ${id}::uuid, 'success'
    from generate_series(${from}::integer, ${to}::integer) n`.execute(db)

const fillCells = (
  { db, project_id }: Scope,
  { id, from, to, key, type }: Some & { key: string; type: string },
): Promise<unknown> =>
  sql`insert into evaluation_results (project_id, id, run_id, scenario_id, step_key, status, testcase_id, trace_id)
    select ${project_id}::uuid, md5(${id + key} || n || 'cell')::uuid, ${id}::uuid, md5(${id} || n)::uuid, ${key},
      'success', md5('testcase' || n)::uuid, case when ${type}::text != 'input' then md5(${id + key} || n)::uuid end
    from generate_series(${from}::integer, ${to}::integer) n`.execute(db)

/** Traces of five spans with bodies of some hundred bytes. */
async function fillTraces(engine: Engine, params: { project: string; id: string; step: string; scenarios: number }) {
  const outputs =
    params.step === 'evaluator'
      ? `concat('"score":', toString(rand(1) % 1000 / 1000), ',"success":', if(rand(2) % 4 = 0, 'false', 'true'), ',"grade":"', ['A', 'B'][1 + rand(3) % 2], '"')`
      : `concat('"text":"', repeat('the answer is long ', 20), toString(number), '"')`
  await engine.command({
    text: `
INSERT INTO spans (project_id, is_root, start_time, trace_id, span_id, parent_id, trace_type, is_trace_head, span_name,
  duration_cumulative, tokens_cumulative_total, costs_cumulative_total, data, attributes, created_at)
SELECT {project:UUID}, at = 0, fromUnixTimestamp64Micro(toInt64(1770000000000000 + n * 1000 + at), 'UTC'),
  MD5(concat({id:String}, {step:String}, toString(n))), toFixedString(substring(MD5(toString(number)), 1, 8), 8),
  if(at = 0, toFixedString('', 8), toFixedString('parentid', 8)), 'annotation', at = 0, {step:String}, 100 + rand(4) % 9000,
  rand(5) % 3000, (rand(6) % 100000) / 1000000, concat('{"outputs":{', ${outputs}, '}}'), '{}', now64(6)
FROM (SELECT number, intDiv(number, 5) + 1 AS n, number % 5 AS at FROM numbers({spans:UInt64}))`,
    params: { ...params, spans: params.scenarios * 5 },
  })
}
