import { isJsonObject, type Json, type JsonObject, type SpanType } from '@spanhouse/model'
import { parseText } from '../json/json-text.ts'
import { type Convention, type Found, lookedAt, rowsOf, type SentAttributes } from './convention.ts'
import { normaliseMessages, splitAtLastUser } from './gen-ai-messages.ts'

/** An agent's run sums up the usage of its model calls. */
const AGENT_RUN = 'invoke_agent'

const SPAN_TYPE_OF_OPERATION: ReadonlyMap<Json, SpanType> = new Map([
  ['chat', 'chat'],
  ['text_completion', 'completion'],
  ['generate_content', 'completion'],
  ['embeddings', 'embedding'],
  ['execute_tool', 'tool'],
  ['create_agent', 'agent'],
  [AGENT_RUN, 'agent'],
])

const same = (prefix: string, place: string, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map(name => [prefix + name, place + name]))

/**
 * OpenTelemetry's semantic conventions for generative AI, in the versions that Logfire, PydanticAI, OpenLLMetry and the
 * AI SDK write, and the attributes that Logfire adds.
 */
export const genAi: Convention = {
  name: 'gen-ai',
  rows: [
    ...rowsOf({ 'gen_ai.operation.name': 'type.span' }, operation => SPAN_TYPE_OF_OPERATION.get(operation) ?? 'task'),
    ...rowsOf({
      'gen_ai.request.type': 'type.span',
      ...same('gen_ai.request.', 'meta.request.', [
        ...['model', 'max_tokens', 'temperature', 'top_p', 'top_k', 'presence_penalty', 'stop_sequences'],
        ...['base_url', 'endpoint', 'headers', 'streaming'],
      ]),
      ...same('gen_ai.response.', 'meta.response.', ['model', 'finish_reasons']),
      'gen_ai.system': 'meta.system',
      'gen_ai.provider.name': 'meta.provider.name',
      'gen_ai.output.type': 'meta.output.type',
      'gen_ai.system_instructions': 'meta.system_instructions',
      'gen_ai.conversation.id': 'session.id',
      'gen_ai.agent.id': 'agent.id',
      'gen_ai.agent.description': 'meta.agent.description',
      'gen_ai.usage.input_tokens': 'metrics.tokens.incremental.prompt',
      'gen_ai.usage.prompt_tokens': 'metrics.tokens.incremental.prompt',
      'gen_ai.usage.output_tokens': 'metrics.tokens.incremental.completion',
      'gen_ai.usage.completion_tokens': 'metrics.tokens.incremental.completion',
      'gen_ai.usage.total_tokens': 'metrics.tokens.incremental.total',
      // Preceded by the names that PydanticAI and OpenLLMetry used earlier.
      'gen_ai.usage.details.cache_read_tokens': 'metrics.tokens.incremental.cache_read',
      'gen_ai.usage.cache_read_input_tokens': 'metrics.tokens.incremental.cache_read',
      'gen_ai.usage.cache_read.input_tokens': 'metrics.tokens.incremental.cache_read',
      'gen_ai.usage.details.cache_write_tokens': 'metrics.tokens.incremental.cache_creation',
      'gen_ai.usage.cache_creation_input_tokens': 'metrics.tokens.incremental.cache_creation',
      'gen_ai.usage.cache_creation.input_tokens': 'metrics.tokens.incremental.cache_creation',
      'gen_ai.tool.name': 'meta.tool.name',
      ...same('gen_ai.tool.call.', 'meta.tool.call.', ['id', 'arguments', 'result']),
      ...same('', 'meta.', ['tool_arguments', 'tool_response', 'agent_name', 'model_name', 'final_result']),
    }),
    ...lookedAt('gen_ai.input.messages', 'gen_ai.output.messages', 'pydantic_ai.all_messages'),
    ...lookedAt('events', 'all_messages_events'),
  ],
  complete(found, attributes, earlier) {
    for (const extract of EXTRACTIONS) {
      extract(found, attributes)
      if (hasData(found) || (isJsonObject(earlier?.data) && Object.keys(earlier.data).length > 0)) return
    }
  },
  repeatsUsage: attributes => attributes.get('gen_ai.operation.name') === AGENT_RUN,
}

function hasData(found: Found): boolean {
  for (const place of found.keys()) if (place.startsWith('data.')) return true
  return false
}

/** The possible sources of a span's inputs and outputs. The first one with a result is used. */
const EXTRACTIONS: readonly ((found: Found, attributes: SentAttributes) => void)[] = [
  extractMessages,
  extractToolCall,
  extractAgentRun,
  extractEvents,
]

function setMessages(found: Found, prompt: readonly Json[], completion: readonly Json[]): void {
  if (prompt.length > 0) found.set('data.inputs.prompt', [...prompt])
  if (completion.length > 0) found.set('data.outputs.completion', [...completion])
}

function extractMessages(found: Found, attributes: SentAttributes): void {
  const prompt = normaliseMessages(attributes.get('gen_ai.input.messages'))
  setMessages(found, prompt, normaliseMessages(attributes.get('gen_ai.output.messages')))
}

function extractToolCall(found: Found, attributes: SentAttributes): void {
  const name = attributes.get('gen_ai.tool.name')
  if (!name) return
  const call = firstOf(attributes, 'tool_arguments', 'gen_ai.tool.call.arguments')
  const result = firstOf(attributes, 'tool_response', 'gen_ai.tool.call.result')
  found.set('data.inputs', call === undefined ? { name } : { name, arguments: call })
  if (result !== undefined) found.set('data.outputs', result)
}

/** The first of these attributes that is present; JSON text is parsed. */
function firstOf(attributes: SentAttributes, ...keys: string[]): Json | undefined {
  for (const key of keys) {
    const value = attributes.get(key) ?? undefined
    if (value !== undefined) return typeof value === 'string' ? (parseText(value) ?? value) : value
  }
  return undefined
}

/** An agent's run records its whole conversation, including the answer to the last question. */
function extractAgentRun(found: Found, attributes: SentAttributes): void {
  const final = attributes.get('final_result') ?? undefined
  if (attributes.get('gen_ai.operation.name') !== AGENT_RUN && final === undefined) return
  const [prompt, answer] = splitAtLastUser(normaliseMessages(attributes.get('pydantic_ai.all_messages')))
  setMessages(found, prompt, answer)
  if (answer.length === 0 && final !== undefined) found.set('data.outputs.completion', final)
}

const CHOICE = 'gen_ai.choice'

/** The first version of the conventions had an event per message; Logfire keeps them in an attribute. */
function extractEvents(found: Found, attributes: SentAttributes): void {
  const sent = firstOf(attributes, 'events', 'all_messages_events')
  const events = Array.isArray(sent) ? sent.filter(isJsonObject) : []
  const choice = events.find(event => event['event.name'] === CHOICE)
  const prompt = events.filter(event => typeof event['event.name'] === 'string' && event['event.name'] !== CHOICE)
  setMessages(found, prompt.map(messageOf), choice && isJsonObject(choice.message) ? [choice.message] : [])
}

function messageOf(event: JsonObject): JsonObject {
  const [, role] = /^gen_ai\.(\w+)\.message$/.exec(String(event['event.name'])) ?? []
  const members = { role: event.role ?? role, content: event.content, tool_calls: event.tool_calls }
  return Object.fromEntries(Object.entries(members).filter(([, member]) => member !== undefined)) as JsonObject
}
