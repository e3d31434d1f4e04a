import { eventually, type TestProject } from '../../../test/harness.ts'
import { newSpanId, newTraceId } from '../../../test/otlp.ts'

/** What can be evaluated in a project: ids of revisions. */
export interface Evaluated {
  testset: string
  /** Two revisions of one application. */
  applications: [string, string]
  /** One that compares with `correct_answer`, one that gives a score, a tone and a reason. */
  exact: string
  judge: string
  /** One that people carry out. */
  review: string
}

const slug = (name: string): string => `${name}-${Math.random().toString(16).slice(2, 10)}`

export async function post(project: TestProject, path: string, body: object): Promise<any> {
  const answer = await project.post(`/api${path}`, body)
  if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${answer.text}`)
  return answer.body
}

const QUESTIONS = [
  ['When does my parcel arrive?', 'Two days after we ship it.'],
  ['Can I return worn shoes?', 'No, only unworn shoes can be returned.'],
  ['Do you ship to Norway?', 'Yes, shipping to Norway takes five days.'],
  ['How do I pay by invoice?', 'Choose invoice at checkout; it is due in 14 days.'],
  ['My voucher does not work.', 'Vouchers cannot be combined with a sale.'],
]

/** What a shop's assistant is evaluated with; nothing of it is called by the server. */
export async function makeEvaluated(project: TestProject, cases: number): Promise<Evaluated> {
  const testcases = Array.from({ length: cases }, (_, n) => {
    const [question, correct_answer] = QUESTIONS[n % QUESTIONS.length] as [string, string]
    return { data: { question: n < QUESTIONS.length ? question : `${question} (order ${n})`, correct_answer } }
  })
  const made = async (kind: string, name: string, data: object): Promise<any> =>
    (await post(project, `/simple/${kind}s/`, { [kind]: { slug: slug(name), name, data } }))[kind]
  const hook = { uri: 'agenta:custom:hook:v0', url: 'https://localhost/hook' }
  const prompt = (text: string, temperature: number) => ({
    ...hook,
    url: `${hook.url}?temperature=${temperature}`,
    parameters: { prompt: { text, temperature } },
  })
  const application = await made('application', 'support-bot', prompt('Answer kindly and in one sentence.', 0.2))
  const { application_revision } = await post(project, '/applications/revisions/commit', {
    application_revision_commit: {
      application_variant_id: application.variant_id,
      message: 'Shorter answers',
      data: prompt('Answer in as few words as possible.', 0.9),
    },
  })
  const evaluator = (name: string, properties: object, more: object = {}) =>
    made('evaluator', name, { ...hook, ...more, schemas: { outputs: { type: 'object', properties } } })
  const exact = await evaluator(
    'exact',
    { success: { type: 'boolean' } },
    { parameters: { correct_answer_key: 'correct_answer' } },
  )
  const judge = await evaluator('judge', {
    score: { type: 'number' },
    tone: { type: 'string', enum: ['friendly', 'neutral', 'curt'] },
    reason: { type: 'string' },
  })
  const review = await evaluator('review', {
    helpful: { type: 'boolean', title: 'Was it helpful?' },
    stars: { type: 'integer', minimum: 1, maximum: 5 },
    comment: { type: 'string' },
  })
  const testset = await made('testset', 'questions', { testcases })
  return {
    testset: testset.revision_id,
    applications: [application.revision_id, application_revision.id],
    exact: exact.revision_id,
    judge: judge.revision_id,
    review: review.revision_id,
  }
}

interface Outcome {
  output: string
  success: boolean
  score: number
  tone: string
  reason: string
  fails?: string
}

/** A finished run whose outcomes were sent from outside. Returns its id. */
async function finishedRun(
  project: TestProject,
  evaluated: Evaluated,
  { name, application, outcomeOf }: { name: string; application: string; outcomeOf: (n: number) => Outcome },
): Promise<string> {
  const { testset, exact, judge } = evaluated
  const data = {
    status: 'running',
    testset_steps: [testset],
    application_steps: [application],
    evaluator_steps: [exact, judge],
  }
  const { evaluation } = await post(project, '/simple/evaluations/', { evaluation: { name, data } })
  const run_id: string = evaluation.id
  const { run } = (await project.get(`/api/evaluations/runs/${run_id}`)).body
  const keyOf = (id: string): string =>
    run.data.steps.find(({ references }: any) => Object.values(references).some((one: any) => one.id === id)).key
  const { testset_revision } = await post(project, '/testsets/revisions/retrieve', {
    testset_revision_ref: { id: testset },
  })
  const cases: { id: string; data: any }[] = testset_revision.data.testcases
  const { scenarios } = await post(project, `/simple/evaluations/${run_id}/scenarios/add`, { count: cases.length })
  const traces: object[] = []
  const trace = (data: object, { ms = 400, cost = 0 } = {}): string => {
    const trace_id = newTraceId()
    const root = {
      trace_id,
      span_id: newSpanId(),
      span_name: 'support-bot',
      start_time: '2026-11-20T09:15:00.000Z',
      end_time: new Date(Date.parse('2026-11-20T09:15:00.000Z') + ms).toISOString(),
      attributes: { ag: { data, ...(cost && { metrics: { costs: { incremental: { total: cost } } } }) } },
    }
    traces.push({ trace_id, spans: { root } })
    return trace_id
  }
  const results = cases.flatMap(({ id, data: { question } }, n) => {
    const { output, success, score, tone, reason, fails } = outcomeOf(n)
    const cell = { run_id, scenario_id: scenarios[n].id, testcase_id: id, status: 'success' }
    const input = { ...cell, step_key: keyOf(testset) }
    if (fails !== undefined)
      return [input, { ...cell, step_key: keyOf(application), status: 'failure', error: { message: fails } }]
    const answered = trace({ inputs: { question }, outputs: output }, { ms: 300 + 20 * (n % 9), cost: 0.0021 })
    return [
      input,
      { ...cell, step_key: keyOf(application), trace_id: answered },
      { ...cell, step_key: keyOf(exact), trace_id: trace({ outputs: { success } }) },
      { ...cell, step_key: keyOf(judge), trace_id: trace({ outputs: { score, tone, reason } }, { cost: 0.0004 }) },
    ]
  })
  await post(project, '/traces/ingest', { traces })
  await post(project, `/simple/evaluations/${run_id}/populate`, { results })
  const statusOf = (n: number): string => (outcomeOf(n).fails === undefined ? 'success' : 'errors')
  await post(project, '/evaluations/metrics/refresh', { metrics: { run_id } })
  await project.send('PATCH', '/api/evaluations/scenarios', {
    scenarios: scenarios.map(({ id }: any, n: number) => ({ id, status: statusOf(n) })),
  })
  const hasFailed = cases.some((_, n) => outcomeOf(n).fails !== undefined)
  await post(project, `/evaluations/runs/${run_id}/close?status=${hasFailed ? 'errors' : 'success'}`, {})
  return run_id
}

const TONES = ['friendly', 'neutral', 'curt'] as const

/** The first revision answers nearly all questions. */
const goodOutcome = (n: number): Outcome => ({
  output: QUESTIONS[n % QUESTIONS.length]?.[1] as string,
  success: n % 10 !== 9,
  score: 0.7 + 0.03 * (n % 10),
  tone: TONES[n % 7 === 0 ? 1 : 0],
  reason: 'It answers the question and is polite.',
})

/** The second one is shorter, and wrong more often. */
const worseOutcome = (n: number): Outcome => ({
  ...goodOutcome(n),
  output: n % 2 === 0 ? 'Two days.' : (QUESTIONS[n % QUESTIONS.length]?.[1] as string),
  success: n % 2 === 1 && n % 10 !== 9,
  score: n % 2 === 0 ? 0.25 + 0.02 * (n % 10) : 0.7 + 0.03 * (n % 10),
  tone: TONES[n % 2 === 0 ? 2 : 0],
  reason: n % 2 === 0 ? 'It is too short to help, and does not answer what was asked.' : 'It answers the question.',
  ...(n % 20 === 6 && { fails: `The provider timed out after ${30 + n} s` }),
})

/** Two finished runs of the two revisions: a baseline, and one with a real regression and failures. */
export async function comparedRuns(project: TestProject, evaluated: Evaluated): Promise<[string, string]> {
  const [first, second] = evaluated.applications
  const baseline = await finishedRun(project, evaluated, {
    name: 'Kind answers',
    application: first,
    outcomeOf: goodOutcome,
  })
  const worse = await finishedRun(project, evaluated, {
    name: 'Short answers',
    application: second,
    outcomeOf: worseOutcome,
  })
  return [baseline, worse]
}

/** A run of one case without an application, which one evaluator has given these scores. Returns its id. */
export async function scoredRun(
  project: TestProject,
  { testset }: Evaluated,
  scores: Readonly<Record<string, number>>,
): Promise<string> {
  const properties = Object.fromEntries(Object.keys(scores).map(name => [name, { type: 'number' }]))
  const { evaluator } = await post(project, '/simple/evaluators/', {
    evaluator: {
      slug: slug('scorer'),
      name: 'scorer',
      data: {
        uri: 'agenta:custom:hook:v0',
        url: 'https://localhost/hook',
        schemas: { outputs: { type: 'object', properties } },
      },
    },
  })
  const { evaluation } = await post(project, '/simple/evaluations/', {
    evaluation: {
      name: 'Scored',
      data: { status: 'running', testset_steps: [testset], evaluator_steps: [evaluator.revision_id] },
    },
  })
  const run_id: string = evaluation.id
  const { run } = (await project.get(`/api/evaluations/runs/${run_id}`)).body
  const keyOf = (type: string): string => run.data.steps.find((step: any) => step.type === type).key
  const { scenarios } = await post(project, `/simple/evaluations/${run_id}/scenarios/add`, { count: 1 })
  const { testset_revision } = await post(project, '/testsets/revisions/retrieve', {
    testset_revision_ref: { id: testset },
  })
  const [{ id: testcase_id }] = testset_revision.data.testcases
  const trace_id = newTraceId()
  const times = { start_time: '2026-11-20T09:15:00.000Z', end_time: '2026-11-20T09:15:01.000Z' }
  const attributes = { ag: { data: { outputs: scores } } }
  const root = { trace_id, span_id: newSpanId(), span_name: 'scorer', ...times, attributes }
  await post(project, '/traces/ingest', { traces: [{ trace_id, spans: { root } }] })
  const cell = { run_id, scenario_id: scenarios[0].id, testcase_id, status: 'success' }
  const results = [
    { ...cell, step_key: keyOf('input') },
    { ...cell, step_key: keyOf('annotation'), trace_id },
  ]
  await post(project, `/simple/evaluations/${run_id}/populate`, { results })
  await post(project, '/evaluations/metrics/refresh', { metrics: { run_id } })
  return run_id
}

/**
 * A split run of one case in which people judge what the application said: something else in each repeat. Resolves with
 * the traces of the application.
 */
export async function splitRun(project: TestProject, { testset, applications, review }: Evaluated, said: unknown[]) {
  const [application] = applications
  const data = {
    status: 'running',
    testset_steps: [testset],
    application_steps: [application],
    evaluator_steps: { [review]: 'human' },
    repeats: said.length,
  }
  const evaluation = { name: 'Asked twice', flags: { is_split: true }, data }
  const { id: run_id } = (await post(project, '/simple/evaluations/', { evaluation })).evaluation
  const { run } = (await project.get(`/api/evaluations/runs/${run_id}`)).body
  const keyOf = (type: string): string => run.data.steps.find((step: any) => step.type === type).key
  const { scenarios } = await post(project, `/simple/evaluations/${run_id}/scenarios/add`, { count: 1 })
  const { testset_revision } = await post(project, '/testsets/revisions/retrieve', {
    testset_revision_ref: { id: testset },
  })
  const [{ id: testcase_id }] = testset_revision.data.testcases
  const traces = said.map(outputs => {
    const times = { start_time: '2026-11-20T09:15:00.000Z', end_time: '2026-11-20T09:15:01.000Z' }
    const attributes = { ag: { data: { inputs: { question: 'Well?' }, outputs } } }
    const trace_id = newTraceId()
    return { trace_id, spans: { root: { trace_id, span_id: newSpanId(), span_name: 'bot', ...times, attributes } } }
  })
  await post(project, '/traces/ingest', { traces })
  const results = traces.flatMap(({ trace_id }, repeat_idx) => {
    const cell = { run_id, scenario_id: scenarios[0].id, testcase_id, repeat_idx, status: 'success' }
    return [
      { ...cell, step_key: keyOf('input') },
      { ...cell, step_key: keyOf('invocation'), trace_id },
    ]
  })
  await post(project, `/simple/evaluations/${run_id}/populate`, { results })
  // Waits until all of it is stored: a queue reads what its cases said once.
  await post(project, '/evaluations/metrics/refresh', { metrics: { run_id } })
  const { queue } = (await project.get(`/api/evaluations/runs/${run_id}/queues/default`)).body
  return { run_id, queue_id: queue.id as string, trace_ids: traces.map(({ trace_id }) => trace_id) }
}

/** A run in which people judge what a fixed application says. Resolves with its queue once all cases wait. */
export async function queuedRun(project: TestProject, { testset, review }: Evaluated, cases: number) {
  const data = {
    uri: 'agenta:custom:mock:v0',
    parameters: { key: 'static', kwargs: { output: 'Two days after we ship it.' } },
  }
  const { application } = await post(project, '/simple/applications/', {
    application: { slug: slug('fixed'), name: 'fixed', data },
  })
  const { evaluation } = await post(project, '/simple/evaluations/', {
    evaluation: {
      name: 'Reviewed by people',
      data: {
        testset_steps: [testset],
        application_steps: { [application.revision_id]: 'auto' },
        evaluator_steps: { [review]: 'human' },
      },
    },
  })
  const run_id: string = evaluation.id
  await eventually(async () => {
    const { scenarios } = await post(project, '/evaluations/scenarios/query', {
      scenario: { run_id, status: 'pending' },
    })
    return scenarios.length === cases
  }, 60_000)
  const { queue } = (await project.get(`/api/evaluations/runs/${run_id}/queues/default`)).body
  return { run_id, queue_id: queue.id as string }
}
