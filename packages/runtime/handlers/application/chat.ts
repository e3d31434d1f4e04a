import type { Json, JsonObject } from '@spanhouse/model'
import type { Handler } from '../../handler.ts'
import { askPrompt } from '../../prompt/ask.ts'
import { readHistory } from '../../prompt/prompt.ts'
import type { Run } from '../../run.ts'
import { DIALECT, open, typed } from '../../schema/schema-parts.ts'

/** Adds the next message to a conversation. */
export const chat: Handler = {
  key: 'chat',
  kind: 'builtin',
  roles: ['application'],
  isStreaming: true,
  schemas: {
    parameters: open({ prompt: typed('prompt-template', 'The prompt and the model that answers it.') }),
    inputs: open({ messages: typed('messages', 'The conversation so far.') }),
    outputs: { $schema: DIALECT, type: 'object', 'x-ag-type-ref': 'message' },
  },
  template: {
    name: 'chat',
    description: 'Adds one message from the model to a conversation.',
    categories: ['builtin'],
    parameters: {
      prompt: {
        messages: [
          { role: 'system', content: 'You are a helpful assistant. What you know about the user:\n{{context}}' },
        ],
        template_format: 'mustache',
        input_keys: null,
        llm_config: { model: 'gpt-4o-mini' },
      },
    },
  },
  run: answer,
}

const SHOWN = ['role', 'content', 'name', 'tool_calls', 'tool_call_id'] as const

async function answer({ inputs = {}, ...run }: Run): Promise<JsonObject> {
  const history = readHistory(inputs)
  const { messages: _, ...variables } = inputs
  const { message } = await askPrompt({ inputs, ...run }, variables, history)
  const said: JsonObject = { ...message, content: message.content ?? message.refusal ?? null }
  const shown = SHOWN.map((name): [string, Json | undefined] => [name, said[name]])
  return Object.fromEntries(shown.filter((member): member is [string, Json] => (member[1] ?? null) !== null))
}
