import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { answered, createSpanhouse, type Spanhouse } from '@spanhouse/client'

/*
 * Evaluates 1,000 testcases in this process and sends Spanhouse the results: the application and the evaluator below
 * run here, their traces are sent as any OpenTelemetry exporter sends them, and Spanhouse computes the metrics.
 *
 *   SPANHOUSE_URL=http://127.0.0.1:4600 SPANHOUSE_API_KEY=… node evaluate-from-outside.ts
 */

const TESTCASES = 1_000
/** Traces of one export, and results of one request. */
const BATCH = 250
/** How long stored spans may take to be there for the metrics. */
const STORED_MS_MAX = 60_000

const { SPANHOUSE_URL: url = 'http://127.0.0.1:4600', SPANHOUSE_API_KEY: apiKey = '' } = process.env

/** What is evaluated: it answers 9 of 10 questions. */
const double = ({ n }: { n: number }): number => (n % 10 === 0 ? n : n * 2)
/** What judges it. */
const judge = (expected: number, actual: number) => ({
  success: expected === actual,
  distance: Math.abs(expected - actual),
})

/** The revisions that the evaluation pins. */
interface Pinned {
  testset: string
  application: string
  evaluator: string
}

async function createRevisions(spanhouse: Spanhouse): Promise<Pinned> {
  const suffix = randomBytes(4).toString('hex')
  const testcases = Array.from({ length: TESTCASES }, (_, n) => ({ data: { n, correct_answer: n * 2 } }))
  const outputs = { type: 'object', properties: { success: { type: 'boolean' }, distance: { type: 'number' } } }
  const hook = 'agenta:custom:hook:v0'
  const { testset } = await answered(
    spanhouse.POST('/simple/testsets', { body: { testset: { slug: `numbers-${suffix}`, data: { testcases } } } }),
  )
  const { application } = await answered(
    spanhouse.POST('/simple/applications', {
      body: { application: { slug: `double-${suffix}`, data: { uri: hook, url: 'https://localhost/double' } } },
    }),
  )
  const data = { uri: hook, url: 'https://localhost/judge', schemas: { outputs } }
  const { evaluator } = await answered(
    spanhouse.POST('/simple/evaluators', { body: { evaluator: { slug: `judge-${suffix}`, data } } }),
  )
  return {
    testset: revisionOf(testset),
    application: revisionOf(application),
    evaluator: revisionOf(evaluator),
  }
}

const revisionOf = (record: unknown): string => (record as { revision_id: string }).revision_id

interface Step {
  key: string
  type: string
}

interface Run {
  id: string
  steps: { input: string; invocation: string; annotation: string }
  scenarios: string[]
}

/** With the status `running` nothing is executed by Spanhouse. */
async function createRun(spanhouse: Spanhouse, { testset, application, evaluator }: Pinned): Promise<Run> {
  const data = {
    status: 'running' as const,
    testset_steps: [testset],
    application_steps: [application],
    evaluator_steps: [evaluator],
  }
  const { evaluation } = await answered(
    spanhouse.POST('/simple/evaluations', { body: { evaluation: { name: 'doubles', data } } }),
  )
  const { id } = evaluation as { id: string }
  const { run } = await answered(spanhouse.GET('/evaluations/runs/{run_id}', { params: { path: { run_id: id } } }))
  const { steps } = (run as unknown as { data: { steps: Step[] } }).data
  const keyOf = (type: string): string => steps.find(step => step.type === type)?.key as string
  const { scenarios } = await answered(
    spanhouse.POST('/simple/evaluations/{evaluation_id}/scenarios/add', {
      params: { path: { evaluation_id: id } },
      body: { count: TESTCASES },
    }),
  )
  return {
    id,
    steps: { input: keyOf('input'), invocation: keyOf('invocation'), annotation: keyOf('annotation') },
    scenarios: scenarios.map(scenario => scenario.id),
  }
}

interface Testcase {
  id: string
  data: { n: number; correct_answer: number }
}

async function readTestcases(spanhouse: Spanhouse, testset: string): Promise<Testcase[]> {
  const body = { testset_revision_ref: { id: testset } }
  const { testset_revision } = (await answered(
    spanhouse.POST('/testsets/revisions/retrieve', { body }),
  )) as unknown as {
    testset_revision: { data: { testcases: Testcase[] } }
  }
  return testset_revision.data.testcases
}

const newSpan = (name: string, attributes: Record<string, number | boolean | string>, links: object[] = []) => ({
  traceId: randomBytes(16).toString('hex'),
  spanId: randomBytes(8).toString('hex'),
  name,
  kind: 1,
  startTimeUnixNano: String(BigInt(Date.now()) * 1_000_000n),
  endTimeUnixNano: String(BigInt(Date.now() + 1) * 1_000_000n),
  attributes: Object.entries(attributes).map(([key, value]) => ({ key, value: otlpValue(value) })),
  links,
})

const otlpValue = (value: number | boolean | string): object =>
  typeof value === 'number'
    ? { doubleValue: value }
    : typeof value === 'boolean'
      ? { boolValue: value }
      : { stringValue: value }

/** Runs the application and the evaluator on one testcase: two traces, and the cells that show them. */
function evaluate({ id: run_id, steps, scenarios }: Run, testcase: Testcase, at: number) {
  const { n, correct_answer } = testcase.data
  const output = double({ n })
  const invocation = newSpan('double', { 'ag.data.inputs.n': n, 'ag.data.outputs': output })
  const { success, distance } = judge(correct_answer, output)
  const { traceId, spanId } = invocation
  const annotation = newSpan(
    'judge',
    { 'ag.type.trace': 'annotation', 'ag.data.outputs.success': success, 'ag.data.outputs.distance': distance },
    [{ traceId, spanId }],
  )
  const scenario_id = scenarios[at] as string
  const cell = { run_id, scenario_id, status: 'success' as const, testcase_id: testcase.id }
  return {
    spans: [invocation, annotation],
    results: [
      { ...cell, step_key: steps.input },
      { ...cell, step_key: steps.invocation, trace_id: traceId },
      { ...cell, step_key: steps.annotation, trace_id: annotation.traceId },
    ],
  }
}

/** Sends a batch: first the traces, so that no cell names one that Spanhouse has not accepted. */
async function send(spanhouse: Spanhouse, run: Run, batch: ReturnType<typeof evaluate>[]): Promise<void> {
  const spans = batch.flatMap(one => one.spans)
  const traces = { resourceSpans: [{ scopeSpans: [{ spans }] }] }
  await answered(spanhouse.POST('/otlp/v1/traces', { body: traces as never }))
  const evaluation_id = run.id
  await answered(
    spanhouse.POST('/simple/evaluations/{evaluation_id}/populate', {
      params: { path: { evaluation_id } },
      body: { results: batch.flatMap(one => one.results) },
    }),
  )
}

interface Statistics {
  count: number
  mean?: number
  freq?: { value: unknown; count: number }[]
}

/** Computes the metrics of the run, as soon as all traces are stored. */
async function readMetrics(spanhouse: Spanhouse, run: Run): Promise<Record<string, Statistics>> {
  const end = Date.now() + STORED_MS_MAX
  for (;;) {
    const { metrics } = await answered(
      spanhouse.POST('/evaluations/metrics/refresh', { body: { metrics: { run_id: run.id } } }),
    )
    const { data } = metrics[0] as unknown as { data: Record<string, Record<string, Statistics>> }
    const found = data[run.steps.annotation] ?? {}
    if (found['attributes.ag.data.outputs.success']?.count === TESTCASES) return found
    if (Date.now() > end) throw new Error('The traces are not there after a minute.')
    await delay(250)
  }
}

async function main(): Promise<void> {
  const spanhouse = createSpanhouse({ url, apiKey })
  const pinned = await createRevisions(spanhouse)
  const run = await createRun(spanhouse, pinned)
  const testcases = await readTestcases(spanhouse, pinned.testset)
  for (let from = 0; from < testcases.length; from += BATCH)
    await send(
      spanhouse,
      run,
      testcases.slice(from, from + BATCH).map((testcase, n) => evaluate(run, testcase, from + n)),
    )
  const scenarios = run.scenarios.map(id => ({ id, status: 'success' as const }))
  await answered(spanhouse.PATCH('/evaluations/scenarios', { body: { scenarios } }))
  const metrics = await readMetrics(spanhouse, run)
  await answered(
    spanhouse.POST('/evaluations/runs/{run_id}/close', {
      params: { path: { run_id: run.id }, query: { status: 'success' } },
    }),
  )
  const success = metrics['attributes.ag.data.outputs.success']?.freq?.find(({ value }) => value === true)?.count
  const distance = metrics['attributes.ag.data.outputs.distance']?.mean
  console.log(JSON.stringify({ run_id: run.id, testcases: testcases.length, success, distance }))
}

await main()
