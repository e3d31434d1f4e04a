import { isJsonObject, type Json, type JsonObject, nextTurn } from '@spanhouse/model'
import { equalJson } from '../../evaluation/json-equality.ts'
import { expectedDocument } from '../../evaluation/judged.ts'
import { answerKeyOf, required, textsOf } from '../../evaluation/parameters.ts'
import { readJson } from '../../evaluation/read-json.ts'
import { valueIn } from '../../evaluation/value-in.ts'
import type { Handler } from '../../handler.ts'
import { misfit } from '../../run-error.ts'
import { CORRECT_ANSWER_KEY, closed, DIALECT, field } from '../../schema/schema-parts.ts'

const PARAMETERS = closed(
  {
    fields: field(
      'array',
      {
        title: 'Fields',
        description: 'Paths to compare on both sides: dotted, JSONPath or JSON Pointer.',
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
  run: async run => {
    const fields = fieldsOf(run.parameters)
    const expected = await expectedDocument(run)
    if (!isJsonObject(expected)) throw misfit('input', answerKeyOf(run.parameters), 'a JSON object', expected)
    const output = typeof run.outputs === 'string' ? await readJson(run.outputs) : run.outputs
    const actual = isJsonObject(output) ? output : undefined
    const scores: [string, number][] = []
    for (const field of fields) {
      run.signal.throwIfAborted()
      scores.push([field, (await isAlike(expected, actual, field)) ? 1 : 0])
    }
    const matches = scores.reduce((sum, [, score]) => sum + score, 0)
    return Object.fromEntries([...scores, ['aggregate_score', matches / fields.length]])
  },
}

function outputsOf({ fields }: JsonObject): JsonObject | undefined {
  if (!Array.isArray(fields)) return undefined
  const names = fields.filter(name => typeof name === 'string')
  const scores = names.map(name => [name, { type: 'number' }] as const)
  return closed({ aggregate_score: { type: 'number' }, ...Object.fromEntries(scores) }, ['aggregate_score'])
}

function fieldsOf(parameters: JsonObject): string[] {
  const fields = required(parameters, 'fields')
  if (!Array.isArray(fields) || fields.length === 0)
    throw misfit('parameter', 'fields', 'a non-empty list of paths', fields)
  return textsOf(fields, 'fields')
}

/**
 * A field that the expected document lacks never matches; if it is null there, a missing field in the output matches.
 */
async function isAlike(expected: Json, actual: Json | undefined, field: string): Promise<boolean> {
  await nextTurn()
  const wanted = valueIn(expected, field, 'fields')
  if (wanted === undefined || actual === undefined) return false
  return equalJson(wanted, valueIn(actual, field, 'fields') ?? null)
}
