import { type Convention, type Found, lookedAt, rowsOf, type SentAttributes } from './convention.ts'

const TURN = 'codex.turn.reasoning_effort'
const TOOL_PHASE = 'codex.tool.phase'
const CALL_TOTAL = 'codex.usage.total_tokens'
const TURN_USAGE = 'codex.turn.token_usage.'
const TOKENS = 'metrics.tokens.incremental.'

/**
 * Codex, OpenAI's agent for the command line. A turn names its model and sums up the usage of its calls; the end of each
 * call tells its own usage, with the attributes of `gen-ai.ts`, but no model. So the turn is what has costs.
 */
export const codex: Convention = {
  name: 'codex',
  rows: [
    ...rowsOf({
      [`${TURN_USAGE}input_tokens`]: `${TOKENS}prompt`,
      [`${TURN_USAGE}cached_input_tokens`]: `${TOKENS}cache_read`,
      [`${TURN_USAGE}cache_write_input_tokens`]: `${TOKENS}cache_creation`,
      [`${TURN_USAGE}output_tokens`]: `${TOKENS}completion`,
      [`${TURN_USAGE}reasoning_output_tokens`]: `${TOKENS}reasoning`,
      [`${TURN_USAGE}total_tokens`]: `${TOKENS}total`,
      'codex.usage.reasoning_output_tokens': `${TOKENS}reasoning`,
      [CALL_TOTAL]: `${TOKENS}total`,
    }),
    ...lookedAt(TURN, TOOL_PHASE),
  ],
  complete(found, { attributes }) {
    if (attributes.has(TURN)) putTurn(found, attributes)
    else if (attributes.get(TOOL_PHASE) === 'dispatch') putToolCall(found, attributes)
    else if (attributes.has(CALL_TOTAL)) found.set('type.span', 'chat')
  },
  repeatsUsage: attributes => attributes.has(TURN),
}

function putTurn(found: Found, attributes: SentAttributes): void {
  found.set('type.span', 'llm')
  found.set('meta.provider.name', 'openai')
  found.set('meta.request.model', attributes.get('model') ?? null)
  found.set('session.id', attributes.get('thread.id') ?? null)
}

function putToolCall(found: Found, attributes: SentAttributes): void {
  const name = attributes.get('tool_name') ?? null
  found.set('type.span', 'tool')
  found.set('meta.tool.name', name)
  found.set('meta.tool.call.id', attributes.get('call_id') ?? null)
  found.set('data.inputs.name', name)
  found.set('session.id', attributes.get('conversation.id') ?? null)
}
