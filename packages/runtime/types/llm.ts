import type { JsonObject } from '@spanhouse/model'
import { MODELS, type TokenPrice } from '@spanhouse/models'
import { TEMPLATE_FORMATS } from '../prompt/template.ts'

function ofEachProvider<T>(describe: (models: [string, TokenPrice][]) => T): Record<string, T> {
  return Object.fromEntries(
    Object.entries(MODELS).map(([provider, models]) => [provider, describe(Object.entries(models))]),
  )
}

function pricesOf(models: [string, TokenPrice][]): JsonObject {
  return Object.fromEntries(
    models.flatMap(([id, price]) => (price ? [[id, { input: price[0], output: price[1] }]] : [])),
  )
}

/** The name of a model, with those that forms offer and what they cost per million tokens. */
export const model: JsonObject = {
  type: 'string',
  default: 'gpt-4o-mini',
  'x-ag-type': 'grouped_choice',
  choices: ofEachProvider(models => models.map(([id]) => id)),
  'x-ag-metadata': ofEachProvider(models => pricesOf(models)),
}

const number = (minimum: number, maximum: number): JsonObject => ({ type: ['number', 'null'], minimum, maximum })

/** What is asked of a model apart from the messages; also part of a prompt. */
export const MODEL_OPTIONS: Record<string, JsonObject> = {
  model,
  connection: {
    type: ['string', 'null'],
    description: 'The slug of the saved provider key to use.',
    'x-ag-type': 'hidden',
  },
  temperature: number(0, 2),
  max_tokens: { type: ['integer', 'null'], minimum: 0 },
  top_p: number(0, 1),
  frequency_penalty: number(-2, 2),
  presence_penalty: number(-2, 2),
  reasoning_effort: { type: ['string', 'null'], enum: ['none', 'low', 'medium', 'high', null] },
  chat_template_kwargs: { type: ['object', 'null'], description: 'Passed to the provider unchanged.' },
}

/** How placeholders are written. */
export const templateFormat: JsonObject = { type: 'string', enum: [...TEMPLATE_FORMATS], default: 'curly' }

/** A model with its options. */
export const llm: JsonObject = {
  type: 'object',
  properties: {
    ...MODEL_OPTIONS,
    tool_choice: { anyOf: [{ type: 'string', enum: ['none', 'auto'] }, { type: 'object' }, { type: 'null' }] },
    template_format: templateFormat,
  },
  'x-ag-type': 'llm',
}

/** Models in the order in which they are tried. */
export const llms: JsonObject = { type: 'array', items: llm, 'x-ag-type': 'llms' }
