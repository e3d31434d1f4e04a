import { isJsonObject } from '@spanhouse/model'
import type { Handler } from '../../handler.ts'
import { runLlm } from '../../llm/llm.ts'
import { TEMPLATE_FORMATS } from '../../prompt/template.ts'
import { field, MESSAGES, open, typed } from '../../schema/schema-parts.ts'

const CONSENT = {
  type: 'object',
  properties: {
    mode: { type: 'string', enum: ['per_call', 'allow_all', 'deny_all'] },
    allowed_tools: { type: 'array', items: { type: 'string' } },
    denied_tools: { type: 'array', items: { type: 'string' } },
    decisions: { type: 'object' },
  },
  description: 'Which tool calls are allowed.',
}

const PARAMETERS = open(
  {
    llms: typed('llms', 'Models in order of preference; the next is used if one is unavailable.'),
    messages: { ...MESSAGES, 'x-ag-type-ref': 'messages' },
    template_format: field(
      'string',
      { title: 'Template format', description: 'How placeholders are written in the messages.', widget: 'choice' },
      { enum: [...TEMPLATE_FORMATS] },
    ),
    loop: typed('loop', 'Limits of the loop; without it the model is called once.'),
    tools: typed('tools', 'Tools that the model may call.'),
    consent: CONSENT,
    context: typed('context', 'Any data for tools.'),
    permissions: typed('permissions', 'The permissions of tools.'),
    response: typed('response', 'The form of the answer.'),
  },
  ['llms'],
)

/** Calls models with fallbacks and tools, once or in a loop. */
export const llm: Handler = {
  key: 'llm',
  kind: 'builtin',
  roles: ['application', 'evaluator'],
  isStreaming: true,
  schemas: {
    parameters: PARAMETERS,
    inputs: open({ messages: MESSAGES, variables: { type: 'object' }, context: { type: 'object' }, consent: CONSENT }),
    outputs: open(
      {
        status: {
          type: 'object',
          properties: { code: { type: 'integer' }, type: { type: 'string' }, message: { type: 'string' } },
          required: ['code'],
        },
        messages: MESSAGES,
        context: { type: 'object' },
        consent: CONSENT,
        usage: { type: 'object' },
      },
      ['status', 'messages'],
    ),
  },
  template: {
    name: 'Builtin LLM',
    description: 'Calls the first available of several models, once or in a loop with tools.',
    categories: [],
    parameters: { messages: [] },
  },
  run: runLlm,
  inferOutputs: ({ response }) => (isJsonObject(response) && response.format === 'json' ? response.schema : undefined),
}
