import type { JsonObject } from '@spanhouse/model'
import {
  knownRuntime,
  knownVersion,
  NUMBER_VERSIONS,
  RUNTIMES,
  runCode,
  threeArguments,
  VERSIONS,
} from '../../evaluation/custom-code.ts'
import { expectedAnswer, requiredDocument } from '../../evaluation/judged.ts'
import { requiredInputs, requiredText, thresholdOf } from '../../evaluation/parameters.ts'
import type { Handler, Preset } from '../../handler.ts'
import { closed, field, OPTIONAL_CORRECT_ANSWER_KEY, SCORE_AND_SUCCESS, THRESHOLD } from '../../schema/schema-parts.ts'

const PYTHON = `def evaluate(inputs, outputs, trace):
    success = outputs == inputs.get("correct_answer")
    return {"score": 1 if success else 0, "success": success}
`

const JAVASCRIPT = `function evaluate(inputs, outputs, trace) {
  const text = value => (typeof value === 'string' ? value : JSON.stringify(value))
  const success = text(outputs) === text(inputs.correct_answer)
  return { score: success ? 1 : 0, success }
}
`

const TYPESCRIPT = `function evaluate(
  inputs: Record<string, unknown>,
  outputs: unknown,
  trace: unknown,
): { score: number; success: boolean } {
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))
  const success = text(outputs) === text(inputs.correct_answer)
  return { score: success ? 1 : 0, success }
}
`

const PARAMETERS = closed(
  {
    code: field('string', {
      title: 'Code',
      description: 'A function called evaluate. Version 3 takes (inputs, outputs, trace) and returns any JSON value.',
      widget: 'code',
      default: PYTHON,
    }),
    runtime: field(
      'string',
      { title: 'Runtime', description: 'The language of the code.', widget: 'choice', default: 'python' },
      { enum: RUNTIMES },
    ),
    version: field(
      'string',
      { title: 'Version', description: 'The signature of evaluate.', widget: 'hidden', default: '3' },
      { enum: VERSIONS },
    ),
    correct_answer_key: OPTIONAL_CORRECT_ANSWER_KEY,
    requires_llm_api_keys: field('boolean', {
      title: 'Needs provider keys',
      description: 'Whether the code calls a model itself.',
      widget: 'hidden',
    }),
    threshold: THRESHOLD,
  },
  ['code'],
)

const preset = (key: string, language: string, runtime: string, code: string): Preset => ({
  key,
  name: `Exact Match (${language})`,
  description: `Whether the output equals the expected answer, written in ${language}: a starting point for your own code.`,
  parameters: { runtime, version: '3', correct_answer_key: 'correct_answer', requires_llm_api_keys: false, code },
})

/** Evaluates with the user's own code. */
export const autoCustomCodeRun: Handler = {
  key: 'auto_custom_code_run',
  kind: 'builtin',
  roles: ['evaluator'],
  schemas: { parameters: PARAMETERS },
  template: {
    name: 'Code Evaluation',
    description: 'Runs your own function on the inputs, output and trace, and returns its result.',
    categories: ['custom'],
    presets: [
      preset('python_default', 'Python', 'python', PYTHON),
      preset('javascript_default', 'JavaScript', 'javascript', JAVASCRIPT),
      preset('typescript_default', 'TypeScript', 'typescript', TYPESCRIPT),
    ],
  },
  legacy: { directUse: false, requiresModel: false },
  surfaceOutputs: parameters => (NUMBER_VERSIONS.has(versionOf(parameters)) ? SCORE_AND_SUCCESS : null),
  run: run => {
    const { parameters, trace } = run
    const source = requiredText(parameters, 'code')
    const version = versionOf(parameters)
    const inputs = requiredInputs(run.inputs)
    const answer = version === '1' ? expectedAnswer(run) : null
    const outputs = requiredDocument(run.outputs)
    const threshold = thresholdOf(parameters)
    const runtime = knownRuntime(parameters.runtime)
    const args = version === '1' ? [{}, inputs, outputs, answer] : threeArguments(inputs, outputs, trace)
    return runCode(run, { source, runtime, version, threshold, arguments: args })
  },
}

/** The interface version; the first one if it is absent or unknown. */
const versionOf = (parameters: JsonObject): string => knownVersion(parameters) ?? '1'
