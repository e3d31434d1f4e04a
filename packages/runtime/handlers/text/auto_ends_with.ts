import { checkText } from '../../evaluation/text-check.ts'
import type { Handler } from '../../handler.ts'
import { CASE_SENSITIVE, closed, field, SUCCESS } from '../../schema/schema-parts.ts'

const PARAMETERS = closed(
  {
    suffix: field('string', {
      title: 'Suffix',
      description: 'The text that the output should end with.',
      widget: 'text',
    }),
    case_sensitive: CASE_SENSITIVE,
  },
  ['suffix'],
)

/** True if the output ends with the suffix. Superseded by the presets of the regular expression. */
export const autoEndsWith: Handler = {
  key: 'auto_ends_with',
  kind: 'builtin',
  roles: ['evaluator'],
  schemas: { parameters: PARAMETERS, outputs: SUCCESS },
  template: {
    name: 'Ends With',
    description: 'True if the output ends with the suffix.',
    categories: ['classifiers'],
    isArchived: true,
  },
  legacy: { directUse: false, requiresModel: false },
  run: checkText('suffix', (text, suffix) => text.endsWith(suffix)),
}
