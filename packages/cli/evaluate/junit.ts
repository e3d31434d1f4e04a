import junit from 'junit-report-builder'
import type { Result, ScenarioResult } from './result.ts'

/**
 * The scenarios of a run as JUnit XML: one has failed when a cell of it has, or when an evaluator says false; what
 * waits for somebody or was cancelled is skipped.
 */
export function junitOf({ run_id, name = run_id }: Result, scenarios: readonly ScenarioResult[]): string {
  // Its types describe another build than the one that Node imports.
  const builder = (junit as unknown as typeof junit.default).newBuilder()
  const suite = builder.testSuite().name(name)
  for (const { id, testcase_id = id, status, errors, scores } of scenarios) {
    const one = suite.testCase().className(name).name(testcase_id)
    for (const { key, value } of scores) one.property(key, String(value))
    const isFalse = scores
      .filter(({ type, value }) => type === 'binary' && value < 1)
      .map(({ key }) => `${key} is false`)
    const reasons = [...errors, ...isFalse]
    if (status === 'errors' || status === 'failure' || isFalse.length > 0) one.failure(reasons.join('\n') || status)
    else if (status !== 'success') one.skipped()
  }
  return builder.build()
}
