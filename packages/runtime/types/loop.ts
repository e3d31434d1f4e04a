import type { JsonObject } from '@spanhouse/model'

const count = (minimum: number, description: string): JsonObject => ({
  type: ['integer', 'null'],
  minimum,
  description,
})

/** Limits of a loop of model calls and tool calls. */
export const loop: JsonObject = {
  type: 'object',
  properties: {
    max_iterations: count(1, 'Maximum calls of the model.'),
    max_internal_tool_calls: count(0, 'Maximum calls of internal tools.'),
    max_consecutive_errors: count(0, 'Maximum consecutive errors.'),
    allow_implicit_stop: {
      type: ['boolean', 'null'],
      description: 'Whether an answer without a tool call ends the loop.',
    },
    require_terminate_tool: {
      type: ['boolean', 'null'],
      description: 'Whether only the terminate tool ends the loop.',
    },
  },
  'x-ag-type': 'loop',
}

/** A tool that the model may call. */
export const tool: JsonObject = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    type: { type: 'string', enum: ['internal', 'external'], default: 'internal' },
    definition: { type: ['object', 'null'], description: 'The description sent to the model.' },
  },
  required: ['name'],
  'x-ag-type': 'tool',
}

/** Internal tools by name, external ones by their definitions. */
export const tools: JsonObject = {
  type: 'object',
  properties: {
    internal: { type: 'array', items: { type: 'string' } },
    external: { type: 'array', items: { type: 'object' } },
  },
  'x-ag-type': 'tools',
}

/** Free data for tools. */
export const context: JsonObject = { type: 'object', additionalProperties: true, 'x-ag-type': 'context' }

/** What tools may do. */
export const permissions: JsonObject = { type: 'object', additionalProperties: true, 'x-ag-type': 'permissions' }

/** The form of an answer. */
export const response: JsonObject = {
  type: 'object',
  properties: {
    stream: { type: 'boolean', default: false },
    format: { type: 'string', enum: ['messages', 'message', 'text', 'json'], default: 'messages' },
    schema: { type: ['object', 'null'], description: 'The JSON Schema of the answer, for the format json.' },
  },
  'x-ag-type': 'response',
}
