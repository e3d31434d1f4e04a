import { type Body, readMessages, textOf } from '../asked.ts'
import type { Reply } from '../reply.ts'
import { eventOf, tokensIn, type Wire } from './wire.ts'

const ID = 'msg_fake'

/** Anthropic's messages. */
export const anthropic: Wire = {
  path: /\/messages$/,
  read: body => {
    const read = readMessages(body.messages)
    return {
      ...read,
      prompt: [textOf(body.system), read.prompt].filter(Boolean).join('\n'),
      model: body.model,
      isStream: body.stream === true,
      tools: (body.tools ?? []).map((tool: Body) => ({ name: tool.name, parameters: tool.input_schema })),
      toolChoice:
        body.tool_choice?.name ?? (body.tool_choice?.type === 'any' ? 'required' : (body.tool_choice?.type ?? 'auto')),
      schema: (body.output_config?.format ?? body.output_format)?.schema,
    }
  },
  whole: ({ model }, reply) => ({
    id: ID,
    type: 'message',
    role: 'assistant',
    model,
    content: blocksOf(reply).map(({ block }) => block),
    stop_reason: REASONS[reply.finish],
    stop_sequence: null,
    usage: usageOf(reply),
  }),
  pieces: ({ model }, reply) => {
    const event = (type: string, data: object): string => eventOf({ type, ...data }, type)
    const message = {
      id: ID,
      type: 'message',
      role: 'assistant',
      model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
    }
    return [
      event('message_start', { message: { ...message, usage: { ...usageOf(reply), output_tokens: 0 } } }),
      ...blocksOf(reply).flatMap(({ start, deltas }, index) => [
        event('content_block_start', { index, content_block: start }),
        ...deltas.map(delta => event('content_block_delta', { index, delta })),
        event('content_block_stop', { index }),
      ]),
      event('message_delta', {
        delta: { stop_reason: REASONS[reply.finish], stop_sequence: null },
        usage: usageOf(reply),
      }),
      event('message_stop', {}),
    ]
  },
  error: (status, message) => ({ type: 'error', error: { type: ERRORS[status] ?? 'api_error', message } }),
}

const REASONS: Readonly<Record<Reply['finish'], string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
}

const ERRORS: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
}

interface Block {
  block: object
  /** The block as it begins, and what is added to it. */
  start: object
  deltas: object[]
}

function blocksOf({ text, reasoning, refusal, toolCalls }: Reply): Block[] {
  const signature = 'c2lnbmVk'
  const thought: Block = {
    block: { type: 'thinking', thinking: reasoning, signature },
    start: { type: 'thinking', thinking: '', signature: '' },
    deltas: [
      ...tokensIn(reasoning).map(thinking => ({ type: 'thinking_delta', thinking })),
      { type: 'signature_delta', signature },
    ],
  }
  const said: Block = {
    block: { type: 'text', text: text || refusal },
    start: { type: 'text', text: '' },
    deltas: tokensIn(text || refusal).map(text => ({ type: 'text_delta', text })),
  }
  const calls = toolCalls.map(
    ({ id, name, arguments: input }): Block => ({
      block: { type: 'tool_use', id, name, input: JSON.parse(input) },
      start: { type: 'tool_use', id, name, input: {} },
      deltas: tokensIn(input).map(partial_json => ({ type: 'input_json_delta', partial_json })),
    }),
  )
  return [...(reasoning ? [thought] : []), ...(text || refusal ? [said] : []), ...calls]
}

const usageOf = ({ usage: { prompt, completion, cached } }: Reply): object => ({
  input_tokens: prompt - cached,
  output_tokens: completion,
  cache_read_input_tokens: cached,
  cache_creation_input_tokens: 0,
})
