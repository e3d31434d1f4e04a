import { call, eventually } from '../../harness.ts'
import type { Victims } from './victims.ts'

/** Calls of a run under way at a time. */
export const BATCH_SIZE = 40

const ERRORS = 'attributes.ag.metrics.errors.cumulative'

export interface StartedRun {
  id: string
  application: string
  evaluator: string
}

/** Requests to the interface, which may be unavailable for a while. */
export class Asked {
  readonly #victims: Pick<Victims, 'target'>

  constructor(victims: Pick<Victims, 'target'>) {
    this.#victims = victims
  }

  /** Starts an evaluation whose application takes that many seconds per testcase, 40 at a time. */
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

  /** How many cells of the run a query finds. */
  async cells(id: string): Promise<number> {
    return (await this.#post('/evaluations/results/query', { result: { run_id: id } })).count
  }

  /** Counts the cells, the traces and the metrics; `faults` lists what is missing or extra. */
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
    const metrics = await eventually(() => this.#post('/evaluations/metrics/query', { metrics: { run_id: id } }))
    /** How many rows there are of scenarios or of the run, and how many cells with a trace they count. */
    const counted = (rows: any[]): string => {
      const steps = rows.flatMap(({ data }) => Object.values<any>(data))
      return `${rows.length} ${steps.reduce((sum, step) => sum + step[ERRORS].count, 0)}`
    }
    const ofScenario = ({ scenario_id }: any): boolean => scenario_id !== undefined
    check('metrics of scenarios', counted(metrics.metrics.filter(ofScenario)), `${scenarios} ${2 * scenarios}`)
    check('metrics of the run', counted(metrics.metrics.filter((row: any) => !ofScenario(row))), `1 ${2 * scenarios}`)
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
    await eventually(async () => (await read()).length >= count).catch(() => undefined)
    return read()
  }

  async #made(kind: string, data: object): Promise<string> {
    const body = { [kind]: { slug: `chaos-${kind}-${Math.random().toString(36).slice(2)}`, name: kind, data } }
    return (await this.#post(`/simple/${kind}s/`, body))[kind].revision_id
  }

  async #post(path: string, body: object): Promise<any> {
    const { apiUrl, apiKey } = this.#victims.target
    const answer = await call(apiUrl, 'POST', `/api${path}`, `ApiKey ${apiKey}`, body)
    if (answer.status !== 200) throw new Error(`${path} answered ${answer.status}: ${answer.text}`)
    return answer.body
  }
}
