import { expectedText, outputText } from '../../evaluation/judged.ts'
import { optionalShare } from '../../evaluation/parameters.ts'
import { foldOf } from '../../evaluation/text-check.ts'
import { graded } from '../../evaluation/verdict.ts'
import type { Handler } from '../../handler.ts'
import {
  CORRECT_ANSWER_KEY,
  closed,
  field,
  OPTIONAL_CASE_SENSITIVE,
  SCORE_AND_SUCCESS,
  THRESHOLD,
} from '../../schema/schema-parts.ts'

const PARAMETERS = closed(
  {
    similarity_threshold: field(
      'number',
      {
        title: 'Similarity threshold',
        description: 'The minimum similarity for success.',
        widget: 'float',
        default: 0.5,
      },
      { minimum: 0, maximum: 1 },
    ),
    correct_answer_key: CORRECT_ANSWER_KEY,
    threshold: THRESHOLD,
    case_sensitive: OPTIONAL_CASE_SENSITIVE,
  },
  ['similarity_threshold'],
)

/** The share of both texts in blocks that they have in common. */
export const autoSimilarityMatch: Handler = {
  key: 'auto_similarity_match',
  kind: 'builtin',
  roles: ['evaluator'],
  schemas: { parameters: PARAMETERS, outputs: SCORE_AND_SUCCESS },
  template: {
    name: 'Similarity Match',
    description: 'The share of characters in blocks that occur in both the output and the expected answer.',
    categories: ['similarity'],
  },
  legacy: { directUse: false, requiresModel: false },
  run: async run => {
    const { parameters } = run
    const fold = foldOf(parameters)
    const expected = fold(await expectedText(run))
    const output = fold(await outputText(run.outputs))
    const threshold = optionalShare(parameters, 'threshold') ?? optionalShare(parameters, 'similarity_threshold') ?? 0.5
    return graded(await run.means.compute('matchingRatio', output, expected), threshold)
  },
}
