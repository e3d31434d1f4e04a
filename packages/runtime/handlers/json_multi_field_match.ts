import type { JsonObject } from '@spanhouse/model'
import type { Handler } from '../handler.ts'
import { CORRECT_ANSWER_KEY, closed, DIALECT, field } from '../schema/schema-parts.ts'

const PARAMETERS = closed(
  {
    fields: field(
      'array',
      {
        title: 'Fields',
        description: 'Paths that are compared on both sides: dotted, JSONPath or JSON Pointer.',
        widget: 'fields_tags_editor',
      },
      { items: { type: 'string' }, minItems: 1 },
    ),
    correct_answer_key: CORRECT_ANSWER_KEY,
  },
  ['fields'],
)

/** Compares chosen paths of two JSON documents, one score each. */
export const jsonMultiFieldMatch: Handler = {
  key: 'json_multi_field_match',
  kind: 'builtin',
  version: 'v0',
  roles: ['evaluator'],
  schemas: {
    parameters: PARAMETERS,
    outputs: {
      $schema: DIALECT,
      type: 'object',
      properties: { aggregate_score: { type: 'number' } },
      required: ['aggregate_score'],
      additionalProperties: { type: 'number' },
    },
  },
  template: {
    name: 'JSON Multi-Field Match',
    description: 'Compares several fields of the JSON output with the expected document and averages the results.',
    categories: ['classifiers'],
    parameters: { fields: [] },
  },
  legacy: { directUse: false, requiresModel: false },
  inferOutputs: outputsOf,
}

function outputsOf({ fields }: JsonObject): JsonObject | undefined {
  if (!Array.isArray(fields)) return undefined
  const names = fields.filter(name => typeof name === 'string')
  const scores = names.map(name => [name, { type: 'number' }] as const)
  return closed({ aggregate_score: { type: 'number' }, ...Object.fromEntries(scores) }, ['aggregate_score'])
}
