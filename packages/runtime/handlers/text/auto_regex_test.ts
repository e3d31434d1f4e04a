import { outputText } from '../../evaluation/judged.ts'
import { optionalBoolean, requiredText } from '../../evaluation/parameters.ts'
import type { Handler, Preset } from '../../handler.ts'
import { closed, field, OPTIONAL_CASE_SENSITIVE, SUCCESS } from '../../schema/schema-parts.ts'

const PARAMETERS = closed(
  {
    regex_pattern: field('string', {
      title: 'Pattern',
      description: 'A regular expression to search for anywhere in the output.',
      widget: 'regex',
      default: '',
    }),
    regex_should_match: field('boolean', {
      title: 'Should match',
      description: 'Whether a match means success or failure.',
      widget: 'bool',
      default: true,
    }),
    case_sensitive: OPTIONAL_CASE_SENSITIVE,
  },
  ['regex_pattern'],
)

const preset = (key: string, name: string, regex_pattern: string, description: string): Preset => ({
  key,
  name,
  description,
  parameters: { regex_pattern, regex_should_match: true },
})

/** Whether a regular expression is found in the output. */
export const autoRegexTest: Handler = {
  key: 'auto_regex_test',
  kind: 'builtin',
  roles: ['evaluator'],
  schemas: { parameters: PARAMETERS, outputs: SUCCESS },
  template: {
    name: 'Regex Test',
    description: 'Searches the output for a regular expression; succeeds if it matches, or if it does not.',
    categories: ['classifiers'],
    presets: [
      preset('starts_with', 'Starts With', '^PREFIX_PLACEHOLDER', 'The output begins with a given text.'),
      preset('ends_with', 'Ends With', 'SUFFIX_PLACEHOLDER$', 'The output ends with a given text.'),
      preset('contains', 'Contains', 'SUBSTRING_PLACEHOLDER', 'The output contains a given text.'),
      preset(
        'contains_any',
        'Contains Any',
        '(OPTION1|OPTION2|OPTION3)',
        'The output contains at least one of several texts.',
      ),
      preset(
        'contains_all',
        'Contains All',
        '(?=.*SUBSTRING1)(?=.*SUBSTRING2)(?=.*SUBSTRING3).*',
        'The output contains all of several texts, in any order.',
      ),
    ],
  },
  legacy: { directUse: false, requiresModel: false },
  run: async ({ parameters, outputs, means }) => {
    const source = requiredText(parameters, 'regex_pattern')
    const shouldMatch = optionalBoolean(parameters, 'regex_should_match', true)
    const ignoreCase = !optionalBoolean(parameters, 'case_sensitive', true)
    const [isFound] = await means.searchTexts({ source, ignoreCase }, [await outputText(outputs)])
    return { success: isFound === shouldMatch }
  },
}
