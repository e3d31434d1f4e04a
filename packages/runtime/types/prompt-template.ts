import type { JsonObject } from '@spanhouse/model'
import { FALLBACK_POLICIES, RETRY_POLICIES } from '@spanhouse/models'
import { MODEL_OPTIONS, templateFormat } from './llm.ts'
import { messages } from './message.ts'

const only = (type: string, properties: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties: { type: { type: 'string', enum: [type] }, ...properties },
  required: ['type', ...Object.keys(properties)],
})

const RESPONSE_FORMAT: JsonObject = {
  anyOf: [
    only('text'),
    only('json_object'),
    only('json_schema', {
      json_schema: {
        type: 'object',
        properties: {
          name: { type: 'string' },
          description: { type: ['string', 'null'] },
          schema: { type: 'object' },
          strict: { type: ['boolean', 'null'] },
        },
        required: ['name', 'schema'],
      },
    }),
    { type: 'null' },
  ],
}

const LLM_CONFIG: JsonObject = {
  type: 'object',
  properties: {
    ...MODEL_OPTIONS,
    response_format: RESPONSE_FORMAT,
    stream: { type: ['boolean', 'null'] },
    tools: { type: ['array', 'null'], items: { type: 'object' } },
    tool_choice: {
      anyOf: [{ type: 'string', enum: ['none', 'auto', 'required'] }, { type: 'object' }, { type: 'null' }],
    },
  },
}

const POLICY = (choices: readonly string[]): JsonObject => ({ type: 'string', enum: [...choices], default: 'off' })

/** Messages with placeholders, the model that answers them, and what happens when it does not. */
export const promptTemplate: JsonObject = {
  type: 'object',
  properties: {
    messages,
    system_prompt: { type: ['string', 'null'], description: 'Instead of messages.' },
    user_prompt: { type: ['string', 'null'], description: 'Instead of messages.' },
    template_format: templateFormat,
    input_keys: {
      type: ['array', 'null'],
      items: { type: 'string' },
      description: 'The required inputs.',
    },
    llm_config: LLM_CONFIG,
    fallback_configs: { type: ['array', 'null'], items: LLM_CONFIG },
    fallback_policy: POLICY(FALLBACK_POLICIES),
    retry_config: {
      type: ['object', 'null'],
      properties: {
        max_retries: { type: 'integer', minimum: 0, maximum: 5 },
        base_delay: {
          type: 'integer',
          minimum: 100,
          maximum: 1000,
          description: 'Milliseconds; doubled after each attempt.',
        },
      },
    },
    retry_policy: POLICY(RETRY_POLICIES),
  },
  'x-ag-type': 'prompt-template',
}
