import { outputText } from '../../evaluation/judged.ts'
import { readJson } from '../../evaluation/read-json.ts'
import type { Handler } from '../../handler.ts'
import { closed, SUCCESS } from '../../schema/schema-parts.ts'

/** True if the output contains a JSON object. */
export const autoContainsJson: Handler = {
  key: 'auto_contains_json',
  kind: 'builtin',
  roles: ['evaluator'],
  schemas: { parameters: closed({}), outputs: SUCCESS },
  template: {
    name: 'Contains JSON',
    description: 'True if the text from the first to the last brace of the output is valid JSON.',
    categories: ['classifiers'],
  },
  legacy: { directUse: true, requiresModel: false },
  run: async ({ outputs }) => {
    const text = await outputText(outputs)
    const object = text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)
    return { success: object.startsWith('{') && (await readJson(object)) !== undefined }
  },
}
