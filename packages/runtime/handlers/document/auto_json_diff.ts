import type { JsonObject } from '@spanhouse/model'
import { diffScore } from '../../evaluation/json-diff.ts'
import { expectedDocument, outputDocument } from '../../evaluation/judged.ts'
import { optionalBoolean, thresholdOf } from '../../evaluation/parameters.ts'
import { graded } from '../../evaluation/verdict.ts'
import type { Handler } from '../../handler.ts'
import { CORRECT_ANSWER_KEY, closed, field, SCORE_AND_SUCCESS, THRESHOLD } from '../../schema/schema-parts.ts'

const off = (title: string, description: string): JsonObject =>
  field('boolean', { title, description, widget: 'bool', default: false, isAdvanced: true })

/** Compares two JSON documents leaf by leaf. */
export const autoJsonDiff: Handler = {
  key: 'auto_json_diff',
  kind: 'builtin',
  roles: ['evaluator'],
  schemas: {
    parameters: closed({
      compare_schema_only: off('Compare types only', 'Compares only the types of the values.'),
      predict_keys: off('Count extra keys', 'Keys that only the output has count as differences.'),
      case_insensitive_keys: off('Ignore the case of keys', 'Keys that differ only in case are equal.'),
      correct_answer_key: CORRECT_ANSWER_KEY,
      threshold: THRESHOLD,
    }),
    outputs: SCORE_AND_SUCCESS,
  },
  template: {
    name: 'JSON Diff Match',
    description: 'The share of leaves that are equal in the JSON output and the expected document.',
    categories: ['classifiers'],
  },
  legacy: { directUse: false, requiresModel: false },
  run: async run => {
    const { parameters } = run
    const options = {
      typesOnly: optionalBoolean(parameters, 'compare_schema_only', false),
      countExtra: optionalBoolean(parameters, 'predict_keys', false),
      ignoreCase: optionalBoolean(parameters, 'case_insensitive_keys', false),
    }
    const expected = await expectedDocument(run)
    const output = await outputDocument(run.outputs)
    const threshold = thresholdOf(parameters)
    return graded(await diffScore(expected, output, options), threshold)
  },
}
