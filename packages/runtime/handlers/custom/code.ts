import { knownRuntime, knownVersion, runCode, threeArguments } from '../../evaluation/custom-code.ts'
import { requiredDocument } from '../../evaluation/judged.ts'
import { thresholdOf } from '../../evaluation/parameters.ts'
import type { Handler } from '../../handler.ts'
import { misfit, missing } from '../../run-error.ts'

/** Runs the user's own code. */
export const code: Handler = {
  key: 'code',
  kind: 'custom',
  roles: ['application', 'evaluator'],
  template: {
    name: 'Custom Code',
    description: 'Runs your own function.',
    categories: [],
  },
  run: run => {
    const { parameters, revision, inputs, trace } = run
    const source = revision.script ?? parameters.code
    if (source === undefined || source === null) throw missing('parameter', 'script')
    if (typeof source !== 'string') throw misfit('parameter', 'script', 'a string', source)
    const outputs = run.outputs === undefined || run.outputs === null ? null : requiredDocument(run.outputs)
    const threshold = thresholdOf(parameters)
    const runtime = knownRuntime(revision.runtime ?? parameters.runtime)
    const version = knownVersion(parameters) === '3' ? '3' : '2'
    return runCode(run, { source, runtime, version, threshold, arguments: threeArguments(inputs, outputs, trace) })
  },
}
