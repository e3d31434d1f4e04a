import { equalJson } from '../../evaluation/json-equality.ts'
import { expectedAnswer } from '../../evaluation/judged.ts'
import type { Handler } from '../../handler.ts'
import { CORRECT_ANSWER_KEY, closed, SUCCESS } from '../../schema/schema-parts.ts'

/** True if the output equals the expected answer. */
export const autoExactMatch: Handler = {
  key: 'auto_exact_match',
  kind: 'builtin',
  roles: ['evaluator'],
  schemas: { parameters: closed({ correct_answer_key: CORRECT_ANSWER_KEY }), outputs: SUCCESS },
  template: {
    name: 'Exact Match',
    description: 'True if the output and the expected answer are the same.',
    categories: ['classifiers'],
  },
  legacy: { directUse: true, requiresModel: false },
  run: async run => {
    const expected = expectedAnswer(run)
    return { success: run.outputs !== undefined && (await equalJson(run.outputs, expected)) }
  },
}
