import { writeFile } from 'node:fs/promises'
import { answered, createSpanhouse, followRun, type Spanhouse } from '@spanhouse/client'
import { address, projectKey } from '../request.ts'
import { EXIT, UsageError } from '../usage-error.ts'
import { createRun, type NewRunOptions } from './create-run.ts'
import { failuresOf, parseThresholds, regressionsOf } from './gates.ts'
import { junitOf } from './junit.ts'
import { type Result, readResult, readScenarios } from './result.ts'
import { openProgress } from './show-progress.ts'

export interface EvaluateOptions extends NewRunOptions {
  json?: boolean
  junit?: string
  'fail-under'?: string[]
  'fail-on-regression'?: string
}

/** `evaluate`: creates a run, or attaches to one, waits until it is over and reports. Returns the exit status. */
export async function evaluate(run_id: string | undefined, options: EvaluateOptions): Promise<number> {
  const thresholds = parseThresholds(options['fail-under'] ?? [])
  const ofNewRun = NEW_RUN.filter(name => options[name] !== undefined)
  if (run_id !== undefined && ofNewRun.length > 0)
    throw new UsageError(`Give either a run, or options for a new one: --${ofNewRun.join(', --')}.`)
  const spanhouse = createSpanhouse({ url: address(), apiKey: await projectKey() })
  const baseline = options['fail-on-regression']
  // What a run costs must not be lost to a mistake that can be found before it.
  if (options.junit !== undefined) await writeFile(options.junit, '').catch(refuseFile)
  if (baseline !== undefined) await requireRun(spanhouse, baseline)
  const id = run_id ?? (await createRun(spanhouse, options))
  await waitFor(spanhouse, id)
  const result = await readResult(spanhouse, id)
  if (options.junit !== undefined) await writeFile(options.junit, junitOf(result, await readScenarios(spanhouse, id)))
  const failures = failuresOf(result, thresholds)
  if (baseline !== undefined) failures.push(...(await regressionsOf(spanhouse, id, baseline)))
  if (options.json) process.stdout.write(`${JSON.stringify({ ...result, failures })}\n`)
  else print(result, failures)
  return failures.length > 0 ? EXIT.failed : EXIT.ok
}

const NEW_RUN = [
  'testset',
  'query',
  'application',
  'evaluator',
  'name',
  'repeats',
] as const satisfies (keyof NewRunOptions)[]

function refuseFile(error: NodeJS.ErrnoException): never {
  throw new UsageError(`--junit: ${error.message}`)
}

async function requireRun(spanhouse: Spanhouse, run_id: string): Promise<void> {
  const found = await answered(spanhouse.GET('/evaluations/runs/{run_id}', { params: { path: { run_id } } }))
  if (!found.run) throw new UsageError(`--fail-on-regression ${run_id}: there is no such run.`)
}

async function waitFor(spanhouse: Spanhouse, id: string): Promise<void> {
  const progress = openProgress(process.stderr)
  for await (const { name, data } of followRun(spanhouse, id)) {
    if ('is_deleted' in data) throw new Error(`The run ${id} was deleted.`)
    if (name !== 'state') progress.show(data)
  }
  progress.close()
}

function print({ run_id, status, scenarios, costs, scores }: Result, failures: readonly string[]): void {
  const lines = [
    `${run_id}: ${status}, ${scenarios.total} ${scenarios.total === 1 ? 'scenario' : 'scenarios'}`,
    ...(costs === undefined ? [] : [`costs: ${costs} USD`]),
    ...scores.map(({ key, value, count }) => `${key}: ${value} (${count})`),
  ]
  process.stdout.write(`${lines.join('\n')}\n`)
  for (const failure of failures) process.stderr.write(`${failure}\n`)
}
