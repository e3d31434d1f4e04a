import type { JsonObject } from '@spanhouse/model'

const TEXT: JsonObject = { type: 'string' }

const part = (type: string, name: string, content: JsonObject): JsonObject => ({
  type: 'object',
  properties: { type: { type: 'string', enum: [type] }, [name]: content },
  required: ['type', name],
})

const PARTS: JsonObject[] = [
  part('text', 'text', TEXT),
  part('image_url', 'image_url', {
    type: 'object',
    properties: { url: TEXT, detail: { type: 'string', enum: ['auto', 'low', 'high'] } },
    required: ['url'],
  }),
  part('file', 'file', {
    type: 'object',
    properties: { file_id: TEXT, file_data: TEXT, file_url: TEXT, file_name: TEXT, format: TEXT, mime_type: TEXT },
  }),
]

const TOOL_CALL: JsonObject = {
  type: 'object',
  properties: {
    id: TEXT,
    type: { type: 'string', enum: ['function'], default: 'function' },
    function: {
      type: 'object',
      properties: { name: TEXT, arguments: { type: 'string', description: 'The arguments as JSON text.' } },
      required: ['name', 'arguments'],
    },
  },
  required: ['id', 'function'],
}

/** One message of a conversation, in the form that chat models take and give. */
export const message: JsonObject = {
  type: 'object',
  properties: {
    role: { type: 'string', enum: ['developer', 'system', 'user', 'assistant', 'tool', 'function'] },
    content: { anyOf: [TEXT, { type: 'array', items: { anyOf: PARTS } }, { type: 'null' }], default: null },
    name: { type: ['string', 'null'], default: null },
    tool_calls: { type: ['array', 'null'], items: TOOL_CALL, default: null },
    tool_call_id: { type: ['string', 'null'], default: null },
  },
  required: ['role'],
  'x-ag-type': 'message',
}

/** A conversation, oldest message first. */
export const messages: JsonObject = { type: 'array', items: message, 'x-ag-type': 'messages' }
