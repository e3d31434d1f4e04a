import { checkTexts } from '../../evaluation/text-check.ts'
import type { Handler } from '../../handler.ts'
import { CASE_SENSITIVE, closed, field, SUCCESS } from '../../schema/schema-parts.ts'

const PARAMETERS = closed(
  {
    substrings: field(
      ['array', 'string'],
      {
        title: 'Substrings',
        description: 'The texts that the output should contain: a list, or one comma-separated text.',
        widget: 'text',
      },
      { items: { type: 'string' } },
    ),
    case_sensitive: CASE_SENSITIVE,
  },
  ['substrings'],
)

/** True when the output holds every one of the substrings. Retired in favour of the regular expression presets. */
export const autoContainsAll: Handler = {
  key: 'auto_contains_all',
  kind: 'builtin',
  version: 'v0',
  roles: ['evaluator'],
  schemas: { parameters: PARAMETERS, outputs: SUCCESS },
  template: {
    name: 'Contains All',
    description: 'True if the output contains all of the substrings.',
    categories: ['classifiers'],
    isArchived: true,
  },
  legacy: { directUse: false, requiresModel: false },
  run: checkTexts((substrings, isIn) => substrings.every(isIn)),
}
