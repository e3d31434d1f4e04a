import { requiredText } from '../../evaluation/parameters.ts'
import { checkContains } from '../../evaluation/text-check.ts'
import type { Handler } from '../../handler.ts'
import { CASE_SENSITIVE, closed, field, SUCCESS } from '../../schema/schema-parts.ts'

const PARAMETERS = closed(
  {
    substring: field('string', {
      title: 'Substring',
      description: 'The text that the output should contain.',
      widget: 'text',
    }),
    case_sensitive: CASE_SENSITIVE,
  },
  ['substring'],
)

/** True if the output contains the substring. Superseded by the presets of the regular expression. */
export const autoContains: Handler = {
  key: 'auto_contains',
  kind: 'builtin',
  roles: ['evaluator'],
  schemas: { parameters: PARAMETERS, outputs: SUCCESS },
  template: {
    name: 'Contains',
    description: 'True if the output contains the substring.',
    categories: ['classifiers'],
    isArchived: true,
  },
  legacy: { directUse: false, requiresModel: false },
  run: checkContains('all', parameters => [requiredText(parameters, 'substring')]),
}
