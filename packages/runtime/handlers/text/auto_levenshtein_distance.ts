import { expectedText, outputText } from '../../evaluation/judged.ts'
import { thresholdOf } from '../../evaluation/parameters.ts'
import { editSimilarity } from '../../evaluation/similarity.ts'
import { foldOf } from '../../evaluation/text-check.ts'
import { graded } from '../../evaluation/verdict.ts'
import type { Handler } from '../../handler.ts'
import {
  CORRECT_ANSWER_KEY,
  closed,
  OPTIONAL_CASE_SENSITIVE,
  SCORE_AND_SUCCESS,
  THRESHOLD,
} from '../../schema/schema-parts.ts'

/** The similarity by the number of edits that turn the output into the expected answer. */
export const autoLevenshteinDistance: Handler = {
  key: 'auto_levenshtein_distance',
  kind: 'builtin',
  roles: ['evaluator'],
  schemas: {
    parameters: closed({
      threshold: THRESHOLD,
      correct_answer_key: CORRECT_ANSWER_KEY,
      case_sensitive: OPTIONAL_CASE_SENSITIVE,
    }),
    outputs: SCORE_AND_SUCCESS,
  },
  template: {
    name: 'Levenshtein Distance',
    description: 'One minus the number of single-character edits between the texts, relative to the longer one.',
    categories: ['similarity'],
  },
  legacy: { directUse: false, requiresModel: false },
  run: async run => {
    const fold = foldOf(run.parameters)
    const expected = fold(await expectedText(run))
    const output = fold(await outputText(run.outputs))
    const threshold = thresholdOf(run.parameters)
    return graded(await editSimilarity(run.means, output, expected), threshold)
  },
}
