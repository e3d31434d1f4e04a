import { isJsonObject } from '@spanhouse/model'
import { equalJson } from '../../evaluation/json-equality.ts'
import { expectedAnswer } from '../../evaluation/judged.ts'
import { requiredText } from '../../evaluation/parameters.ts'
import { readJson } from '../../evaluation/read-json.ts'
import type { Handler } from '../../handler.ts'
import { CORRECT_ANSWER_KEY, closed, field, SUCCESS } from '../../schema/schema-parts.ts'

const PARAMETERS = closed(
  {
    json_field: field('string', {
      title: 'Field',
      description: 'The member of the JSON output to compare.',
      widget: 'text',
      default: '',
    }),
    correct_answer_key: CORRECT_ANSWER_KEY,
  },
  ['json_field'],
)

/** Compares one member of a JSON output. Retired in favour of the multi-field match. */
export const fieldMatchTest: Handler = {
  key: 'field_match_test',
  kind: 'builtin',
  roles: ['evaluator'],
  schemas: { parameters: PARAMETERS, outputs: SUCCESS },
  template: {
    name: 'JSON Field Match',
    description: 'True if one member of the JSON output equals the expected answer.',
    categories: ['classifiers'],
    isArchived: true,
  },
  legacy: { directUse: false, requiresModel: false },
  run: async run => {
    const field = requiredText(run.parameters, 'json_field')
    const expected = expectedAnswer(run)
    const output = typeof run.outputs === 'string' ? await readJson(run.outputs) : run.outputs
    const found = isJsonObject(output) && Object.hasOwn(output, field) ? output[field] : undefined
    return { success: found !== undefined && (await equalJson(found, expected)) }
  },
}
