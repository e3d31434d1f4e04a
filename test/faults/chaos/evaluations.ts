import { setTimeout as delay } from 'node:timers/promises'
import { call, eventually } from '../../harness.ts'
import { seeded } from './random.ts'
import { startEmbedded, startNetworked, type Victims } from './victims.ts'

export interface EvaluationChaosOptions {
  set: 'embedded' | 'networked'
  scenarios: number
  kills: number
  seed: number
  /** Told what happens to whom. */
  tell?(event: string): void
}

export interface EvaluationChaosResult extends Omit<EvaluationChaosOptions, 'tell'> {
  events: Record<string, number>
  /** How many kills the run lasted for; the others came after its end. */
  killsDuringRun: number
  status: string
  seconds: number
  /** Root spans of the application, and of the evaluator. */
  invocations: number
  annotations: number
  /** Empty: every cell is there once, every trace once, and each cell has its trace. */
  faults: string[]
}

const ROLES = { writers: 1, workers: 2 }
/** The calls of the application take long enough for the run to last this long for each kill. */
const SECONDS_PER_KILL = 4
/** After the last kill: leases of dead workers run out first. */
const SETTLE_MS = 300_000
const BATCH_SIZE = 40

/**
 * An evaluation while processes are killed and started again: workers, writers, the interface and stores. Then what is stored
 * is counted: one invocation and one annotation for each scenario, and nothing else.
 */
export async function chaosEvaluations(options: EvaluationChaosOptions): Promise<EvaluationChaosResult> {
  const { set, scenarios, kills, seed, tell = () => {} } = options
  const victims = set === 'embedded' ? await startEmbedded() : await startNetworked(ROLES.writers, ROLES.workers)
  try {
    const asked = new Asked(victims)
    const started = performance.now()
    const run = await asked.start(scenarios, (SECONDS_PER_KILL * kills * BATCH_SIZE) / scenarios)
    const { events, killsDuringRun } = await kill(victims, { kills, seed, tell, isOver: () => asked.isOver(run.id) })
    const status = await eventually(async () => {
      const { status } = await asked.run(run.id)
      return status === 'running' ? undefined : status
    }, SETTLE_MS)
    const seconds = Math.round((performance.now() - started) / 100) / 10
    tell(`the run ended with ${status} after ${seconds} s; its results are counted`)
    const counted = await asked.count(run, scenarios)
    if (counted.faults.length > 0)
      for (const { name, output } of victims.all) tell(`${name} said:\n${output?.() ?? ''}`)
    return { set, scenarios, kills, seed, events, killsDuringRun, status, seconds, ...counted }
  } finally {
    await victims.stop()
  }
}

interface Killing {
  kills: number
  seed: number
  tell(event: string): void
  isOver(): Promise<boolean>
}

async function kill(victims: Victims, { kills, seed, tell, isOver }: Killing) {
  const random = seeded(seed)
  const events: Record<string, number> = {}
  let killsDuringRun = 0
  for (let at = 0; at < kills; at++) {
    await delay(300 + random.below(1_500))
    const victim = random.pick(victims.all)
    if (!(await isOver().catch(() => false))) killsDuringRun++
    tell(`kill ${victim.name}`)
    events[victim.name] = (events[victim.name] ?? 0) + 1
    await victim.kill()
    await delay(random.below(1_000))
    await victim.restart()
  }
  return { events, killsDuringRun }
}

interface StartedRun {
  id: string
  application: string
  evaluator: string
}

/** What is asked over the interface, which may be away for a while. */
class Asked {
  readonly #victims: Victims

  constructor(victims: Victims) {
    this.#victims = victims
  }

  async start(scenarios: number, callSeconds: number): Promise<StartedRun> {
    const mock = (key: string, kwargs = {}) => ({ uri: 'agenta:custom:mock:v0', parameters: { key, kwargs } })
    const application = await this.#made('application', mock('delay', { seconds: callSeconds }))
    const evaluator = await this.#made('evaluator', mock('pass'))
    const testcases = Array.from({ length: scenarios }, (_, n) => ({ data: { n } }))
    const testset = await this.#made('testset', { testcases })
    const data = {
      testset_steps: [testset],
      application_steps: [application],
      evaluator_steps: { [evaluator]: 'auto' },
      concurrency: { batch_size: BATCH_SIZE },
    }
    const { evaluation } = await this.#post('/simple/evaluations/', { evaluation: { name: 'chaos', data } })
    return { id: evaluation.id, application, evaluator }
  }

  async run(id: string): Promise<any> {
    const { apiUrl, apiKey } = this.#victims.target
    const { status, body } = await call(apiUrl, 'GET', `/api/evaluations/runs/${id}`, `ApiKey ${apiKey}`)
    if (status !== 200) throw new Error(`the run cannot be read: ${status}`)
    return body.run
  }

  async isOver(id: string): Promise<boolean> {
    return (await this.run(id)).status !== 'running'
  }

  async count({ id, application, evaluator }: StartedRun, scenarios: number) {
    const { results } = await eventually(() => this.#post('/evaluations/results/query', { result: { run_id: id } }))
    const faults: string[] = []
    const check = (what: string, found: unknown, wanted: unknown): void => {
      if (found !== wanted) faults.push(`${what}: ${found} instead of ${wanted}`)
    }
    const cells = (prefix: string): any[] => results.filter(({ step_key }: any) => step_key.startsWith(prefix))
    const places = new Set(results.map((cell: any) => `${cell.scenario_id} ${cell.step_key} ${cell.repeat_idx}`))
    check('cells', results.length, 3 * scenarios)
    check('different cells', places.size, 3 * scenarios)
    check('successes', results.filter(({ status }: any) => status === 'success').length, 3 * scenarios)
    const found: number[] = []
    for (const [prefix, reference, revision] of [
      ['application-', 'application_revision', application],
      ['evaluator-', 'evaluator_revision', evaluator],
    ] as const) {
      const traces = await this.#traces(reference, revision, scenarios)
      const own = new Set(cells(prefix).map(({ trace_id }) => trace_id?.replaceAll('-', '')))
      check(`traces of ${reference}`, traces.length, scenarios)
      check(`cells of ${prefix} whose trace is stored`, traces.filter(id => own.has(id)).length, scenarios)
      found.push(traces.length)
    }
    const [invocations = 0, annotations = 0] = found
    return { invocations, annotations, faults }
  }

  /** All traces with a root that refers to a revision, once there are as many as there should be. */
  async #traces(reference: string, id: string, count: number): Promise<string[]> {
    const conditions = [
      { field: 'references', operator: 'in', value: [{ id, attributes: { key: reference } }] },
      { field: 'parent_id', operator: 'is', value: null },
    ]
    const body = { filtering: { operator: 'and', conditions }, windowing: { limit: 100_000 } }
    const read = async (): Promise<string[]> =>
      (await this.#post('/spans/query', body)).spans.map(({ trace_id }: any) => trace_id)
    await eventually(async () => (await read()).length >= count, 60_000).catch(() => undefined)
    return read()
  }

  async #made(kind: string, data: object): Promise<string> {
    const body = { [kind]: { slug: `chaos-${kind}`, name: kind, data } }
    return (await this.#post(`/simple/${kind}s/`, body))[kind].revision_id
  }

  async #post(path: string, body: object): Promise<any> {
    const { apiUrl, apiKey } = this.#victims.target
    const answer = await call(apiUrl, 'POST', `/api${path}`, `ApiKey ${apiKey}`, body)
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${answer.text}`)
    return answer.body
  }
}
