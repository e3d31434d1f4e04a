import { isJsonObject, type JsonObject } from '@spanhouse/model'
import type { Handler } from '../../handler.ts'
import { runMatchers } from '../../matching/match-run.ts'
import { closed, DIALECT, field, open } from '../../schema/schema-parts.ts'

const NUMBER: JsonObject = { type: 'number' }
const BOOLEAN: JsonObject = { type: 'boolean' }
const LEAF: JsonObject = { success: BOOLEAN, score: NUMBER, error: { type: ['string', 'null'] } }

/** How deep the schema describes nested matchers; below that it is an open object. */
const DEPTH_MAX = 16

const PARAMETERS = closed(
  {
    matchers: field(
      'array',
      {
        title: 'Matchers',
        description: 'A tree of comparisons: leaves compare, parents combine their scores.',
        widget: 'code',
      },
      { items: { type: 'object', required: ['target'] } },
    ),
    score: field(
      'string',
      { title: 'Score', description: 'How the scores are combined.', widget: 'choice', default: 'weighted' },
      { enum: ['weighted', 'min', 'max'] },
    ),
    success: field(
      'string',
      { title: 'Success', description: 'When the whole succeeds.', widget: 'choice', default: 'threshold' },
      { enum: ['all', 'any', 'threshold'] },
    ),
    threshold: field('number', {
      title: 'Threshold',
      description: 'The minimum score for success.',
      widget: 'float',
      default: 1,
    }),
  },
  ['matchers'],
)

/** Evaluates the user's own rules over inputs, outputs and trace. */
export const match: Handler = {
  key: 'match',
  kind: 'builtin',
  roles: ['evaluator'],
  schemas: { parameters: PARAMETERS, outputs: open({ score: NUMBER, success: BOOLEAN }, ['score', 'success']) },
  template: {
    name: 'Builtin Matcher',
    description: 'Compares parts of the inputs, outputs and trace by rules that can be nested and weighted.',
    categories: [],
  },
  inferOutputs: ({ matchers }) =>
    Array.isArray(matchers)
      ? {
          $schema: DIALECT,
          type: 'object',
          properties: { ...resultsOf(matchers, 1), score: NUMBER, success: BOOLEAN },
          required: ['score', 'success'],
        }
      : undefined,
  run: runMatchers,
}

/** One member per matcher with its result, which for a parent includes those of its children. */
function resultsOf(matchers: unknown[], depth: number): JsonObject {
  const nodes = matchers.filter(isJsonObject)
  return Object.fromEntries(nodes.map(node => [nameOf(node), resultOf(node, depth)]))
}

function resultOf({ matchers }: JsonObject, depth: number): JsonObject {
  if (depth === DEPTH_MAX) return { type: 'object' }
  const children = Array.isArray(matchers) ? resultsOf(matchers, depth + 1) : {}
  return { type: 'object', properties: { ...children, ...LEAF }, additionalProperties: false }
}

const nameOf = ({ key }: JsonObject): string => (typeof key === 'string' ? key : '')
