import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type ServerProcess, startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { type RoleStart, startRole, startStores } from '../test/sets/networked.ts'
import { sendTo } from './api.ts'
import { rounded } from './measured.ts'
import { Throttle } from './writers/throttle.ts'

/** Testcases of the runs, and how many calls each may have under way. */
const RUNS = [
  { scenarios: 2_000, batchSize: 64 },
  { scenarios: 8_000, batchSize: 64 },
]
const MINTED = 10_000
/** The model of the runs that several workers share. */
const MODEL_SECONDS = 0.5
const SHARED = { scenarios: 3_000, batchSize: 256 }
/** A run before those that count, in which every worker compiles its code. */
const COMPILING = { scenarios: 1_500, batchSize: 256 }
const WORKERS = 4
/** Processes start their interpreters once they have been idle for ten seconds. */
const WARM_UP_MS = 20_000

/**
 * Runs with an application and an evaluator that answer at once, in one process with everything embedded, until the
 * metrics of the run count every trace; and how long a large testset takes to be minted.
 */
export async function benchEvaluations(): Promise<object> {
  const dataDir = await mkdtemp(join(tmpdir(), 'spanhouse-bench-evaluations-'))
  const server = await startServerProcess({ dataDir })
  try {
    const api = new Api(server)
    const minted = await api.mint(MINTED)
    const runs: object[] = []
    for (const size of RUNS)
      runs.push({ ...size, ...(await api.measure('static', size)), peakMb: await peakMb(server) })
    return { runs, minted }
  } finally {
    await server.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

const peakMb = async (server: ServerProcess): Promise<number> => Math.round((await server.peakBytes()) / 2 ** 20)

/**
 * How a run gets faster with workers, processes of their own over networked stores, while the model takes half a
 * second. Each worker is held to an eighth of the time, so that they and not this machine are what limits it.
 */
export async function benchWorkers(): Promise<object> {
  const dataDir = await mkdtemp(join(tmpdir(), 'spanhouse-bench-workers-'))
  const stores = await startStores()
  const start = (role: string, more: Pick<RoleStart, 'like'> = {}): Promise<ServerProcess> =>
    startRole(role, { stores, dataDir: join(dataDir, `${role}-${Math.random()}`), ...more })
  const api = await start('api')
  const writer = await start('writer', { like: api })
  let workers = await Promise.all(Array.from({ length: WORKERS }, () => start('worker', { like: api })))
  const measure = async (): Promise<object> => {
    const roles = { workers, api: [api], writer: [writer] }
    const before = await cpuOf(roles)
    const throttle = new Throttle(workers)
    const run = await new Api(api).measure('delay', SHARED).finally(() => throttle.end())
    const after = await cpuOf(roles)
    const perScenario = Object.entries(after).map(([role, seconds]) => [
      role,
      rounded(((seconds - (before[role] as number)) * 1000) / SHARED.scenarios),
    ])
    return { workers: workers.length, ...run, cpuMsPerScenario: Object.fromEntries(perScenario) }
  }
  try {
    await delay(WARM_UP_MS)
    await new Api(api).measure('delay', COMPILING)
    const many = await measure()
    const [one, ...others] = workers as [ServerProcess, ...ServerProcess[]]
    workers = [one]
    await Promise.all(others.map(server => server.stop()))
    return { runs: [await measure(), many] }
  } finally {
    await Promise.all([api, writer, ...workers].map(server => server.stop()))
    await stores.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

/** Seconds of processor time of processes, by role. */
async function cpuOf(roles: Record<string, readonly ServerProcess[]>): Promise<Record<string, number>> {
  const sums: Record<string, number> = {}
  for (const [name, servers] of Object.entries(roles)) {
    const seconds = await Promise.all(servers.map(server => server.cpuSeconds()))
    sums[name] = seconds.reduce((sum, one) => sum + one, 0)
  }
  return sums
}

const MOCKS = {
  static: { key: 'static', kwargs: { output: 'Paris' } },
  delay: { key: 'delay', kwargs: { seconds: MODEL_SECONDS } },
}

class Api {
  readonly #server: ServerProcess

  constructor(server: ServerProcess) {
    this.#server = server
  }

  /** A run until it is finished, and until its metrics count every trace. */
  async measure(
    name: keyof typeof MOCKS,
    { scenarios, batchSize }: { scenarios: number; batchSize: number },
  ): Promise<object> {
    const mock = (parameters: object) => ({ uri: 'agenta:custom:mock:v0', parameters })
    const application = await this.#made('application', mock(MOCKS[name]))
    const evaluator = await this.#made('evaluator', mock({ key: 'pass' }))
    const testset = await this.#testset(scenarios)
    const [began, cpuBefore] = [performance.now(), await this.#server.cpuSeconds()]
    const data = {
      testset_steps: [testset],
      application_steps: [application],
      evaluator_steps: { [evaluator]: 'auto' },
      concurrency: { batch_size: batchSize },
    }
    const { evaluation } = await this.#send('POST', '/simple/evaluations/', { evaluation: { data } })
    const created = performance.now()
    let status = 'running'
    while (status === 'running') {
      await delay(100)
      status = (await this.#send('GET', `/evaluations/runs/${evaluation.id}`)).run.status
    }
    const finished = performance.now()
    while ((await this.#measured(evaluation.id)) < 2 * scenarios) await delay(100)
    const seconds = (performance.now() - began) / 1000
    const cpuSeconds = (await this.#server.cpuSeconds()) - cpuBefore
    return {
      status,
      createMs: Math.round(created - began),
      runSeconds: rounded((finished - began) / 1000),
      queryableSeconds: rounded(seconds),
      scenariosPerSecond: Math.round(scenarios / seconds),
      cpuMsPerScenario: rounded((cpuSeconds * 1000) / scenarios),
    }
  }

  /** How long it takes to make an evaluation over a large testset; it is stopped at once. */
  async mint(scenarios: number): Promise<object> {
    const application = await this.#made('application', { uri: 'agenta:custom:mock:v0', parameters: MOCKS.delay })
    const data = { testset_steps: [await this.#testset(scenarios)], application_steps: [application] }
    const began = performance.now()
    const { evaluation } = await this.#send('POST', '/simple/evaluations/', { evaluation: { data } })
    const ms = Math.round(performance.now() - began)
    await this.#send('DELETE', `/simple/evaluations/${evaluation.id}`)
    return { scenarios, ms }
  }

  #testset(count: number): Promise<string> {
    return this.#made('testset', {
      testcases: Array.from({ length: count }, (_, n) => ({ data: { country: `c${n}` } })),
    })
  }

  /** How many traces the metrics of the run count. */
  async #measured(run_id: string): Promise<number> {
    const { metrics } = await this.#send('POST', '/evaluations/metrics/refresh', { metrics: { run_id } })
    const steps: Record<string, { count: number }>[] = Object.values(metrics[0].data)
    return steps.reduce((sum, step) => sum + (step['attributes.ag.metrics.duration.cumulative']?.count ?? 0), 0)
  }

  async #made(kind: string, data: object): Promise<string> {
    const slug = `bench-${kind}-${Math.random().toString(36).slice(2)}`
    return (await this.#send('POST', `/simple/${kind}s/`, { [kind]: { slug, name: kind, data } }))[kind].revision_id
  }

  // biome-ignore lint/suspicious/noExplicitAny: responses of many shapes
  #send(method: string, path: string, body?: object): Promise<any> {
    return sendTo(this.#server, method, path, body)
  }
}
