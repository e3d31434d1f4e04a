import { type Convention, type Found, lookedAt, rowsOf, type SentAttributes } from './convention.ts'

const TURN = 'codex.turn.reasoning_effort'
const TOOL_PHASE = 'codex.tool.phase'
const CALL_TOTAL = 'codex.usage.total_tokens'
const TOKENS = 'metrics.tokens.incremental.'

/**
 * Codex, OpenAI's agent for the command line. The end of each call tells its usage, with the attributes of `gen-ai.ts`,
 * but no model; the turn above it names the model. What a turn sums up is not read: see `../DECISIONS.md`.
 */
export const codex: Convention = {
  name: 'codex',
  rows: [
    ...rowsOf({ 'codex.usage.reasoning_output_tokens': `${TOKENS}reasoning`, [CALL_TOTAL]: `${TOKENS}total` }),
    ...lookedAt(TURN, TOOL_PHASE),
  ],
  complete(found, { attributes }) {
    if (attributes.has(TURN)) putTurn(found, attributes)
    else if (attributes.get(TOOL_PHASE) === 'dispatch') putToolCall(found, attributes)
    else if (attributes.has(CALL_TOTAL)) found.set('type.span', 'chat')
  },
}

function putTurn(found: Found, attributes: SentAttributes): void {
  found.set('type.span', 'agent')
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
