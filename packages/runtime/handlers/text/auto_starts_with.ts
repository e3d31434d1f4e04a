import { checkText } from '../../evaluation/text-check.ts'
import type { Handler } from '../../handler.ts'
import { CASE_SENSITIVE, closed, field, SUCCESS } from '../../schema/schema-parts.ts'

const PARAMETERS = closed(
  {
    prefix: field('string', {
      title: 'Prefix',
      description: 'The text that the output should start with.',
      widget: 'text',
    }),
    case_sensitive: CASE_SENSITIVE,
  },
  ['prefix'],
)

/** True if the output starts with the prefix. Superseded by the presets of the regular expression. */
export const autoStartsWith: Handler = {
  key: 'auto_starts_with',
  kind: 'builtin',
  roles: ['evaluator'],
  schemas: { parameters: PARAMETERS, outputs: SUCCESS },
  template: {
    name: 'Starts With',
    description: 'True if the output starts with the prefix.',
    categories: ['classifiers'],
    isArchived: true,
  },
  legacy: { directUse: false, requiresModel: false },
  run: checkText('prefix', (text, prefix) => text.startsWith(prefix)),
}
