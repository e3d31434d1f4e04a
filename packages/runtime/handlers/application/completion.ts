import { isJsonObject, type Json } from '@spanhouse/model'
import type { Handler } from '../../handler.ts'
import { memberOf } from '../../path.ts'
import { askPrompt } from '../../prompt/ask.ts'
import type { ChatAnswer, Run } from '../../run.ts'
import { DIALECT, open, typed } from '../../schema/schema-parts.ts'

const SYSTEM = 'You are an expert in geography.'
const USER = 'What is the capital of {{country}}?'

/** Calls a model with one prompt. */
export const completion: Handler = {
  key: 'completion',
  kind: 'builtin',
  roles: ['application'],
  isStreaming: true,
  schemas: {
    parameters: open({ prompt: typed('prompt-template', 'The prompt and the model that answers it.') }),
    inputs: open(),
    outputs: { $schema: DIALECT, type: ['string', 'object', 'array'] },
  },
  template: {
    name: 'completion',
    description: "Fills a prompt with the inputs and returns the model's answer.",
    categories: ['builtin'],
    parameters: {
      prompt: {
        messages: [
          { role: 'system', content: SYSTEM },
          { role: 'user', content: USER },
        ],
        template_format: 'mustache',
        input_keys: null,
        llm_config: { model: 'gpt-4o-mini' },
      },
    },
  },
  run: async (run: Run) => resultOf(await askPrompt(run, run.inputs ?? {})),
  inferOutputs: ({ prompt }) => answerSchemaOf(memberOf(memberOf(prompt, 'llm_config'), 'response_format')),
}

/** The content stays text even with a JSON response format: clients parse it themselves. */
function resultOf({ message }: ChatAnswer): Json {
  return message.content ?? message.refusal ?? message.tool_calls ?? ''
}

/**
 * The schema of a JSON response format, which texts fit too: the content is one. Undefined if it does not say its type.
 */
function answerSchemaOf(format: Json | undefined): Json | undefined {
  if (memberOf(format, 'type') !== 'json_schema') return undefined
  const schema = memberOf(memberOf(format, 'json_schema'), 'schema')
  const type = memberOf(schema, 'type')
  if (!isJsonObject(schema) || type === undefined) return undefined
  return { ...schema, type: [...new Set(['string', type].flat())] }
}
