import { randomUUID } from 'node:crypto'
import { type Day, newSlug } from './caller.ts'

/** Runs with scenarios, results, metrics and queues: by themselves, and as simple evaluations and queues. */
export async function evaluate(day: Day): Promise<void> {
  await keepRuns(day)
  await keepParts(day)
  await evaluateSimply(day)
  await queueSimply(day)
}

const STEPS = [
  { key: 'in', type: 'input', origin: 'custom', references: {} },
  { key: 'rated', type: 'annotation', origin: 'custom', references: {} },
]
const newRun = async ({ as }: Day): Promise<string> =>
  (await as('POST', '/evaluations/runs', { runs: [{ name: 'r', data: { steps: STEPS } }] })).runs[0].id

async function keepRuns(day: Day): Promise<void> {
  const { as } = day
  const [id, other] = [await newRun(day), await newRun(day)]
  await as('PATCH', '/evaluations/runs', { runs: [{ id, name: 'R' }] })
  await as('PATCH', `/evaluations/runs/${id}`, { run: { id, name: 'r' } })
  for (const verb of ['close', 'open']) {
    await as('POST', `/evaluations/runs/${verb}`, { run_ids: [id] })
    await as('POST', `/evaluations/runs/${other}/${verb}`)
  }
  await as('DELETE', '/evaluations/runs', { run_ids: [id] })
  await as('DELETE', `/evaluations/runs/${other}`)
}

async function keepParts(day: Day): Promise<void> {
  const { as } = day
  const run_id = await newRun(day)
  const { scenarios } = await as('POST', '/evaluations/scenarios', { scenarios: [{ run_id }, { run_id }] })
  const [scenario_id, other] = scenarios.map(({ id }: { id: string }) => id)
  await as('PATCH', '/evaluations/scenarios', { scenarios: [{ id: scenario_id, tags: { a: true } }] })
  await as('PATCH', `/evaluations/scenarios/${scenario_id}`, { scenario: { id: scenario_id, tags: { a: false } } })
  const place = { run_id, scenario_id, step_key: 'rated' }
  const write = async (method: string): Promise<any> =>
    (await as(method, '/evaluations/results', { results: [{ ...place, status: 'success' }] })).results[0]
  const { id: result_id } = await write('POST')
  await write('PUT')
  await as('PATCH', '/evaluations/results', { results: [{ id: result_id, ...place, status: 'failure' }] })
  await as('DELETE', `/evaluations/results/${result_id}`)
  await as('DELETE', '/evaluations/results', { result_ids: [(await write('POST')).id] })
  const measure = async (method: string, more = {}): Promise<any> =>
    (await as(method, '/evaluations/metrics', { metrics: [{ run_id, scenario_id, data: {}, ...more }] })).metrics[0]
  const { id: metrics_id } = await measure('POST')
  await measure('PUT')
  await measure('PATCH', { id: metrics_id })
  await as('POST', '/evaluations/metrics/refresh', { metrics: { run_id, scenario_id } })
  await as('DELETE', `/evaluations/metrics/${metrics_id}`)
  await as('DELETE', '/evaluations/metrics', { metrics_ids: [(await measure('POST')).id] })
  const { queues } = await as('POST', '/evaluations/queues', { queues: [{ run_id }, { run_id }] })
  const [queue_id, last] = queues.map(({ id }: { id: string }) => id)
  await as('PATCH', '/evaluations/queues', { queues: [{ id: queue_id, name: 'q' }] })
  await as('PATCH', `/evaluations/queues/${queue_id}`, { queue: { id: queue_id, name: 'Q' } })
  await as('DELETE', `/evaluations/queues/${queue_id}`)
  await as('DELETE', '/evaluations/queues', { queue_ids: [last] })
  await as('DELETE', `/evaluations/scenarios/${scenario_id}`)
  await as('DELETE', '/evaluations/scenarios', { scenario_ids: [other] })
}

const newRevision = async ({ as }: Day, kind: string, data: object): Promise<string> =>
  (await as('POST', `/simple/${kind}s`, { [kind]: { slug: newSlug(), data } }))[kind].revision_id

async function evaluateSimply(day: Day): Promise<void> {
  const { as } = day
  const testset = await newRevision(day, 'testset', { testcases: [{ data: { a: 1 } }] })
  const application = await newRevision(day, 'application', { uri: 'agenta:builtin:echo:v0', parameters: {} })
  const evaluator = await newRevision(day, 'evaluator', { uri: 'agenta:custom:hook:v0', url: 'https://h.example.test' })
  const data = { testset_steps: [testset], application_steps: [application], evaluator_steps: { [evaluator]: 'human' } }
  const { evaluation } = await as('POST', '/simple/evaluations', { evaluation: { name: 'e', data } })
  const path = `/simple/evaluations/${evaluation.id}`
  await as('PATCH', path, { evaluation: { id: evaluation.id, name: 'E', data } })
  for (const verb of ['start', 'stop', 'close', 'open']) await as('POST', `${path}/${verb}`)
  const { scenarios } = await as('POST', `${path}/scenarios/add`, { count: 2 })
  const [{ id: scenario_id }, { id: other }] = scenarios
  await as('POST', `${path}/steps/add`, { steps: [{ key: 'more', type: 'annotation', origin: 'custom' }] })
  const results = [{ run_id: evaluation.id, scenario_id, step_key: 'more', status: 'success' }]
  await as('POST', `${path}/populate`, { results })
  await as('POST', `${path}/process`, { scenario_ids: [scenario_id] })
  await as('POST', `${path}/refresh`, { scenario_ids: [scenario_id] })
  await as('POST', `${path}/prune`, { scenario_ids: [scenario_id] })
  await as('POST', `${path}/scenarios/remove`, { scenario_ids: [other] })
  await as('POST', `${path}/steps/remove`, { step_keys: ['more'] })
  await as('POST', `${path}/repeats/set`, { repeats: 2 })
  await as('DELETE', path)
}

async function queueSimply(day: Day): Promise<void> {
  const { as } = day
  const evaluator = await newRevision(day, 'evaluator', { uri: 'agenta:custom:hook:v0', url: 'https://h.example.test' })
  const newQueue = async (kind: string): Promise<string> => {
    const data = { kind, evaluators: { [evaluator]: 'human' } }
    return (await as('POST', '/simple/queues', { queue: { name: 'q', data } })).queue.id
  }
  const [traces, testcases] = [await newQueue('traces'), await newQueue('testcases')]
  await as('POST', `/simple/queues/${traces}/traces`, { trace_ids: [randomUUID().replaceAll('-', '')] })
  await as('POST', `/simple/queues/${testcases}/testcases`, { testcase_ids: [randomUUID()] })
  await as('DELETE', `/simple/queues/${traces}`)
  await as('DELETE', '/simple/queues', { queue_ids: [testcases] })
}
