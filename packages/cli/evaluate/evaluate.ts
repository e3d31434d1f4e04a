import { writeFile } from 'node:fs/promises'
import { createSpanhouse, followRun, type Spanhouse } from '@spanhouse/client'
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
  if (run_id !== undefined && (options.testset ?? options.query ?? options.evaluator) !== undefined)
    throw new UsageError('Give either a run or what a new one is made of.')
  const spanhouse = createSpanhouse({ url: address(), apiKey: await projectKey() })
  const id = run_id ?? (await createRun(spanhouse, options))
  await waitFor(spanhouse, id)
  const result = await readResult(spanhouse, id)
  if (options.junit !== undefined) await writeFile(options.junit, junitOf(result, await readScenarios(spanhouse, id)))
  const failures = failuresOf(result, thresholds)
  const baseline = options['fail-on-regression']
  if (baseline !== undefined) failures.push(...(await regressionsOf(spanhouse, id, baseline)))
  if (options.json) process.stdout.write(`${JSON.stringify({ ...result, failures })}\n`)
  else print(result, failures)
  return failures.length > 0 ? EXIT.failed : EXIT.ok
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
