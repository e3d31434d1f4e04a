import { requiredTexts } from '../../evaluation/parameters.ts'
import { checkContains } from '../../evaluation/text-check.ts'
import type { Handler } from '../../handler.ts'
import { CASE_SENSITIVE, closed, field, SUCCESS } from '../../schema/schema-parts.ts'

const PARAMETERS = closed(
  {
    substrings: field(
      ['array', 'string'],
      {
        title: 'Substrings',
        description: 'The texts that the output may contain: a list, or one comma-separated text.',
        widget: 'text',
      },
      { items: { type: 'string' } },
    ),
    case_sensitive: CASE_SENSITIVE,
  },
  ['substrings'],
)

/** True if the output contains at least one of the substrings. Superseded by the presets of the regular expression. */
export const autoContainsAny: Handler = {
  key: 'auto_contains_any',
  kind: 'builtin',
  roles: ['evaluator'],
  schemas: { parameters: PARAMETERS, outputs: SUCCESS },
  template: {
    name: 'Contains Any',
    description: 'True if the output contains at least one of the substrings.',
    categories: ['classifiers'],
    isArchived: true,
  },
  legacy: { directUse: false, requiresModel: false },
  run: checkContains('any', parameters => requiredTexts(parameters, 'substrings')),
}
