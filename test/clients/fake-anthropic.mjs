import { ANSWER, USAGE } from './fake-answer.mjs'

const usage = {
  input_tokens: USAGE.prompt - USAGE.cached,
  cache_read_input_tokens: USAGE.cached,
  cache_creation_input_tokens: 0,
  output_tokens: USAGE.completion,
}
/** If a part of a request is to be cached, some of the cached tokens are written. */
const usageOf = ({ system }) =>
  Array.isArray(system) && system.some(({ cache_control }) => cache_control)
    ? {
        ...usage,
        cache_read_input_tokens: USAGE.cached - 20,
        cache_creation_input_tokens: 20,
        cache_creation: { ephemeral_5m_input_tokens: 20, ephemeral_1h_input_tokens: 0 },
      }
    : usage
const THINKING = { type: 'thinking', thinking: 'Bari is in the south.', signature: 'none' }
const toolUse = name => ({ type: 'tool_use', id: 'toolu_1', name, input: { city: 'Bari' } })

/** The response of Anthropic's API. A model that is given tools calls the first one once; one that may think, thinks. */
export function anthropicMessage(body) {
  const isResult = body.messages.at(-1)?.content?.some?.(({ type }) => type === 'tool_result')
  const isCall = body.tools?.length > 0 && !isResult
  return {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: body.model,
    content: [
      ...(body.thinking ? [THINKING] : []),
      isCall ? toolUse(body.tools[0].name) : { type: 'text', text: ANSWER },
    ],
    stop_reason: isCall ? 'tool_use' : 'end_turn',
    stop_sequence: null,
    usage: usageOf(body),
  }
}

const EMPTY = { text: { text: '' }, thinking: { thinking: '', signature: '' }, tool_use: { input: {} } }
const DELTAS = {
  text: ({ text }) => [{ type: 'text_delta', text }],
  thinking: ({ thinking, signature }) => [
    { type: 'thinking_delta', thinking },
    { type: 'signature_delta', signature },
  ],
  tool_use: ({ input }) => [{ type: 'input_json_delta', partial_json: JSON.stringify(input) }],
}

/** The same response as the events of a stream. */
export function anthropicEvents(body) {
  const { content, stop_reason, stop_sequence, ...message } = anthropicMessage(body)
  return [
    {
      type: 'message_start',
      message: {
        ...message,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...usage, output_tokens: 1 },
      },
    },
    ...content.flatMap((block, index) => [
      { type: 'content_block_start', index, content_block: { ...block, ...EMPTY[block.type] } },
      ...DELTAS[block.type](block).map(delta => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage: { output_tokens: USAGE.completion } },
    { type: 'message_stop' },
  ]
}
