import { isJsonObject, type Json, type JsonObject, type SpanType } from '@spanhouse/model'
import { withoutAbsent } from '../canonical/without-absent.ts'
import { parseText } from '../json/json-text.ts'
import { type Convention, type Found, lookedAt, rowsOf, type SentAttributes, type SentSpan } from './convention.ts'
import { conversationIn, toolCallIn } from './messages/gen-ai-events.ts'
import { normaliseMessages, splitAtLastUser, withInstructions } from './messages/gen-ai-messages.ts'
import { amountOf, parsedContainer } from './value.ts'

/** An agent's run sums up the usage of its model calls. */
const AGENT_RUN = 'invoke_agent'
/** So does a workflow's. */
const WORKFLOW_RUN = 'invoke_workflow'

const SPAN_TYPE_OF_OPERATION: ReadonlyMap<Json, SpanType> = new Map([
  ['chat', 'chat'],
  ['text_completion', 'completion'],
  ['generate_content', 'completion'],
  ['embeddings', 'embedding'],
  ['execute_tool', 'tool'],
  ['create_agent', 'agent'],
  [AGENT_RUN, 'agent'],
  [WORKFLOW_RUN, 'workflow'],
  ['retrieval', 'query'],
  ['rerank', 'rerank'],
])

const same = (prefix: string, place: string, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(names.map(name => [prefix + name, place + name]))

/** Of values that are stored as they are. */
const PLACES: Readonly<Record<string, string>> = {
  'gen_ai.request.type': 'type.span',
  ...same('gen_ai.request.', 'meta.request.', [
    ...['model', 'max_tokens', 'temperature', 'top_p', 'top_k', 'presence_penalty', 'stop_sequences'],
    ...['base_url', 'endpoint', 'headers', 'streaming', 'frequency_penalty', 'seed', 'encoding_formats'],
  ]),
  ...same('gen_ai.response.', 'meta.response.', ['model', 'id']),
  'gen_ai.system': 'meta.system',
  'gen_ai.provider.name': 'meta.provider.name',
  'gen_ai.output.type': 'meta.output.type',
  'gen_ai.system_instructions': 'meta.system_instructions',
  'gen_ai.conversation.id': 'session.id',
  'gen_ai.agent.id': 'agent.id',
  'gen_ai.agent.description': 'meta.agent.description',
  'gen_ai.agent.name': 'meta.agent.name',
  'gen_ai.agent.version': 'meta.agent.version',
  'gen_ai.workflow.name': 'meta.workflow.name',
  'gen_ai.data_source.id': 'meta.data_source.id',
  'gen_ai.prompt.name': 'meta.prompt.name',
  'gen_ai.retrieval.query.text': 'data.inputs.query',
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
  'gen_ai.usage.cache_write.input_tokens': 'metrics.tokens.incremental.cache_creation',
  'gen_ai.usage.cache_write_input_tokens': 'metrics.tokens.incremental.cache_creation',
  'gen_ai.usage.reasoning_tokens': 'metrics.tokens.incremental.reasoning',
  'gen_ai.usage.thoughts_tokens': 'metrics.tokens.incremental.reasoning',
  'gen_ai.usage.details.reasoning_tokens': 'metrics.tokens.incremental.reasoning',
  'gen_ai.usage.reasoning.output_tokens': 'metrics.tokens.incremental.reasoning',
  'gen_ai.usage.completion_tokens_details.reasoning': 'metrics.tokens.incremental.reasoning',
  'gen_ai.usage.completion_tokens_details.reasoning_tokens': 'metrics.tokens.incremental.reasoning',
  'gen_ai.usage.prompt_tokens_details.cached_tokens': 'metrics.tokens.incremental.cache_read',
  'gen_ai.usage.prompt_tokens_details.cache_read': 'metrics.tokens.incremental.cache_read',
  'gen_ai.usage.prompt_tokens_details.cache_write': 'metrics.tokens.incremental.cache_creation',
  'gen_ai.usage.details.input_audio_tokens': 'metrics.tokens.incremental.prompt_details.audio',
  'gen_ai.usage.details.output_audio_tokens': 'metrics.tokens.incremental.completion_details.audio',
  'gen_ai.usage.input_audio_tokens': 'metrics.tokens.incremental.prompt_details.audio',
  'gen_ai.usage.output_audio_tokens': 'metrics.tokens.incremental.completion_details.audio',
  'operation.cost': 'metrics.costs.incremental.total',
  'gen_ai.tool.name': 'meta.tool.name',
  ...same('gen_ai.tool.call.', 'meta.tool.call.', ['id', 'arguments', 'result']),
  ...same('', 'meta.', ['tool_arguments', 'tool_response', 'agent_name', 'model_name', 'final_result']),
}

/**
 * OpenTelemetry's semantic conventions for generative AI, in the versions that Logfire, PydanticAI, OpenLLMetry and the
 * AI SDK write, and the attributes that Logfire adds.
 */
export const genAi: Convention = {
  name: 'gen-ai',
  rows: [
    ...rowsOf({ 'gen_ai.operation.name': 'type.span' }, operation => SPAN_TYPE_OF_OPERATION.get(operation) ?? 'task'),
    ...rowsOf(PLACES),
    // OpenLIT's cost, and LiteLLM's; both send zero for models that their lists of prices do not contain.
    ...rowsOf(
      {
        'gen_ai.usage.cost': 'metrics.costs.incremental.total',
        'gen_ai.cost.input_cost': 'metrics.costs.incremental.prompt',
        'gen_ai.cost.output_cost': 'metrics.costs.incremental.completion',
        'gen_ai.cost.total_cost': 'metrics.costs.incremental.total',
      },
      cost => (amountOf(cost) === 0 ? undefined : cost),
    ),
    ...rowsOf(
      {
        'gen_ai.tool.definitions': 'data.inputs.tools',
        // Sentry's names, of which some are for JSON text.
        'gen_ai.request.available_tools': 'data.inputs.tools',
        'gen_ai.embeddings.input': 'data.inputs.input',
        'gen_ai.response.finish_reasons': 'meta.response.finish_reasons',
      },
      parsedContainer,
    ),
    ...rowsOf({ 'gen_ai.retrieval.documents': 'data.outputs.documents' }, parsedContainer),
    ...lookedAt('gen_ai.response.text', 'gen_ai.response.tool_calls', 'gen_ai.tool.input', 'gen_ai.tool.output'),
    ...lookedAt('gen_ai.input.messages', 'gen_ai.output.messages', 'pydantic_ai.all_messages'),
    ...lookedAt('events', 'all_messages_events'),
  ],
  eventPrefix: 'gen_ai.',
  complete(found, span, earlier) {
    // LangSmith names the operation of a retriever `embeddings` and that of a prompt `chat`.
    if (span.attributes.has('langsmith.span.kind')) found.delete('type.span')
    putTypeOfCall(found, span.attributes)
    putUsageOfEvent(found, span)
    for (const extract of EXTRACTIONS) {
      extract(found, span)
      if (hasMessages(found) || (isJsonObject(earlier?.data) && Object.keys(earlier.data).length > 0)) return
    }
  },
  repeatsUsage(attributes) {
    const operation = attributes.get('gen_ai.operation.name')
    return operation === AGENT_RUN || operation === WORKFLOW_RUN
  },
}

/** The instrumentation of the AWS SDK names no operation if a model's own format is used. */
function putTypeOfCall(found: Found, attributes: SentAttributes): void {
  if (attributes.get('rpc.service') !== 'BedrockRuntime' || found.has('type.span')) return
  if (attributes.has('gen_ai.request.model')) found.set('type.span', 'chat')
}

const USAGE_EVENT = 'gen_ai.usage'

/** Ax tells of the usage in an event. */
function putUsageOfEvent(found: Found, { attributes, events }: SentSpan): void {
  const usage = events.find(({ name }) => name === USAGE_EVENT)?.attributes
  for (const key in usage) {
    const place = attributes.has(key) ? undefined : PLACES[key]
    if (place?.startsWith('metrics.tokens.')) found.set(place, usage[key] as Json)
  }
}

/** Whether there are inputs or outputs apart from the tools that a model is offered. */
function hasMessages(found: Found): boolean {
  for (const place of found.keys()) if (place.startsWith('data.') && place !== 'data.inputs.tools') return true
  return false
}

/** The possible sources of a span's inputs and outputs. The first one with a result is used. */
const EXTRACTIONS: readonly ((found: Found, span: SentSpan) => void)[] = [
  extractMessages,
  extractEmbedded,
  extractToolCall,
  extractAgentRun,
  extractEvents,
  extractSpanEvents,
]

function setMessages(found: Found, prompt: readonly Json[], completion: readonly Json[]): void {
  if (prompt.length > 0) found.set('data.inputs.prompt', [...prompt])
  if (completion.length > 0) found.set('data.outputs.completion', [...completion])
}

function extractMessages(found: Found, { attributes }: SentSpan): void {
  const prompt = promptIn(attributes)
  const completion = normaliseMessages(attributes.get('gen_ai.output.messages'))
  setMessages(
    found,
    withInstructions(prompt, attributes.get('gen_ai.system_instructions')),
    completion.length > 0 ? completion : responseIn(attributes),
  )
}

const ASKING: ReadonlySet<SpanType | undefined> = new Set(['chat', 'completion', 'agent'])

/** Text that is not JSON, not even cut, is a question. */
function promptIn(attributes: SentAttributes): JsonObject[] {
  const sent = attributes.get('gen_ai.input.messages')
  const messages = normaliseMessages(sent)
  if (messages.length > 0 || typeof sent !== 'string' || !/^\s*[^\s[{]/.test(sent)) return messages
  const type = SPAN_TYPE_OF_OPERATION.get(attributes.get('gen_ai.operation.name') ?? null)
  return ASKING.has(type) ? [{ role: 'user', content: sent }] : []
}

/** Sentry sends the texts of a response and its tool calls, each as JSON or as one text. */
function responseIn(attributes: SentAttributes): JsonObject[] {
  if (!attributes.has('gen_ai.response.text') && !attributes.has('gen_ai.response.tool_calls')) return []
  const texts = listOf(attributes.get('gen_ai.response.text'))
  const items = listOf(attributes.get('gen_ai.response.tool_calls'))
  // Items of OpenAI's responses are sent as calls, whatever they are.
  const messages = items.filter(item => isJsonObject(item) && item.type === 'message') as JsonObject[]
  const parts = messages.flatMap(({ content }) => (Array.isArray(content) ? content.filter(isJsonObject) : []))
  const calls = items.filter(item => !messages.includes(item as JsonObject))
  const content = [...texts, ...parts.map(({ text }) => text)].filter(text => typeof text === 'string').join('\n')
  if (content === '' && calls.length === 0) return []
  return [withoutAbsent({ role: 'assistant', content, tool_calls: calls.length > 0 ? calls : undefined })]
}

function listOf(sent: Json | undefined): Json[] {
  if (sent === undefined || sent === null) return []
  const value = parsedContainer(sent)
  return Array.isArray(value) ? value : [value]
}

/** OpenLIT sends the texts of an embedding where others send messages: one as it is, several as JSON. */
function extractEmbedded(found: Found, { attributes }: SentSpan): void {
  const sent = attributes.get('gen_ai.input.messages')
  if (attributes.get('gen_ai.operation.name') !== 'embeddings' || typeof sent !== 'string') return
  const list = parseText(sent)
  found.set('data.inputs.input', Array.isArray(list) ? list : sent)
}

function extractToolCall(found: Found, { attributes, events }: SentSpan): void {
  const name = attributes.get('gen_ai.tool.name')
  if (!name) return
  const sent = toolCallIn(events)
  const call = firstOf(attributes, 'tool_arguments', 'gen_ai.tool.call.arguments', 'gen_ai.tool.input') ?? sent.call
  const result = firstOf(attributes, 'tool_response', 'gen_ai.tool.call.result', 'gen_ai.tool.output') ?? sent.result
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
function extractAgentRun(found: Found, { attributes }: SentSpan): void {
  const final = attributes.get('final_result') ?? undefined
  if (attributes.get('gen_ai.operation.name') !== AGENT_RUN && final === undefined) return
  const [prompt, answer] = splitAtLastUser(normaliseMessages(attributes.get('pydantic_ai.all_messages')))
  setMessages(found, prompt, answer)
  if (answer.length === 0 && final !== undefined) found.set('data.outputs.completion', final)
}

const CHOICE = 'gen_ai.choice'

/** The first version of the conventions had an event per message; Logfire keeps them in an attribute. */
function extractEvents(found: Found, { attributes }: SentSpan): void {
  const sent = firstOf(attributes, 'events', 'all_messages_events')
  const events = Array.isArray(sent) ? sent.filter(isJsonObject) : []
  const choice = events.find(event => event['event.name'] === CHOICE)
  const prompt = events.filter(event => typeof event['event.name'] === 'string' && event['event.name'] !== CHOICE)
  setMessages(found, prompt.map(messageOf), choice && isJsonObject(choice.message) ? [choice.message] : [])
}

function extractSpanEvents(found: Found, { events, attributes }: SentSpan): void {
  const { prompt, completion } = conversationIn(events)
  setMessages(found, withInstructions(prompt, attributes.get('gen_ai.system_instructions')), completion)
}

function messageOf(event: JsonObject): JsonObject {
  const [, role] = /^gen_ai\.(\w+)\.message$/.exec(String(event['event.name'])) ?? []
  return withoutAbsent({ role: event.role ?? role, content: event.content, tool_calls: event.tool_calls })
}
