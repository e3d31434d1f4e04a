import { isJsonObject, type Json, type SpanType } from '@spanhouse/model'
import { parseObjectText } from '../json/json-text.ts'
import { type Convention, type Found, lookedAt, rowsOf, type SentAttributes } from './convention.ts'
import { amountOf, inputsOf, parsedValue as parsed, parsedContainer } from './value.ts'

const EMBEDDING_ID = /^ai\.embed(Many)?(\.doEmbed)?$/
const RERANK_ID = /^ai\.rerank(\.doRerank)?$/
/** The single provider call inside `ai.generateText` and similar functions. */
const MODEL_CALL_ID = /\.do(Generate|Stream)$/

function spanTypeOf(operationId: Json): SpanType | undefined {
  if (typeof operationId !== 'string') return undefined
  if (operationId === 'ai.toolCall') return 'tool'
  if (EMBEDDING_ID.test(operationId)) return 'embedding'
  if (RERANK_ID.test(operationId)) return 'rerank'
  return MODEL_CALL_ID.test(operationId) ? 'chat' : 'task'
}

/** A function that the application calls: it makes one call to the provider or, with tools, several. */
const OUTER_ID = /^ai\.(embed(Many)?|(generate|stream)(Text|Object))$/

const METADATA = 'ai.response.providerMetadata'
const TOKENS = 'metrics.tokens.incremental.'

/** Vercel's AI SDK. For its attributes under `gen_ai.*` see `gen-ai.ts`. */
export const vercelAi: Convention = {
  name: 'vercel-ai',
  rows: [
    ...rowsOf({ 'ai.operationId': 'type.span' }, spanTypeOf),
    ...rowsOf({
      'ai.model.id': 'meta.request.model',
      'ai.model.provider': 'meta.system',
      'ai.response.model': 'meta.response.model',
      'ai.response.id': 'meta.response.id',
      'ai.response.timestamp': 'meta.response.timestamp',
      'ai.settings.temperature': 'meta.request.temperature',
      'ai.settings.topP': 'meta.request.top_p',
      'ai.settings.topK': 'meta.request.top_k',
      'ai.settings.maxOutputTokens': 'meta.request.max_tokens',
      'ai.settings.frequencyPenalty': 'meta.request.frequency_penalty',
      'ai.settings.presencePenalty': 'meta.request.presence_penalty',
      'ai.settings.stopSequences': 'meta.request.stop_sequences',
      'ai.settings.seed': 'meta.request.seed',
      'ai.settings.maxRetries': 'meta.request.max_retries',
      'ai.usage.promptTokens': 'metrics.tokens.incremental.prompt',
      'ai.usage.inputTokens': 'metrics.tokens.incremental.prompt',
      // Embeddings have only this one.
      'ai.usage.tokens': 'metrics.tokens.incremental.prompt',
      'ai.usage.completionTokens': 'metrics.tokens.incremental.completion',
      'ai.usage.outputTokens': 'metrics.tokens.incremental.completion',
      'ai.usage.totalTokens': 'metrics.tokens.incremental.total',
      'ai.usage.reasoningTokens': 'metrics.tokens.incremental.reasoning',
      'ai.usage.cachedInputTokens': 'metrics.tokens.incremental.cached',
      'ai.usage.outputTokenDetails.reasoningTokens': 'metrics.tokens.incremental.reasoning',
      'ai.usage.inputTokenDetails.cacheReadTokens': 'metrics.tokens.incremental.cache_read',
      'ai.usage.inputTokenDetails.cacheWriteTokens': 'metrics.tokens.incremental.cache_creation',
      'ai.response.text': 'data.outputs',
      'ai.toolCall.name': 'data.inputs.name',
      'ai.request.text': 'data.inputs.text',
      'ai.telemetry.metadata.userId': 'user.id',
      'ai.telemetry.metadata.sessionId': 'session.id',
      // What metadata was before version 7.
      'ai.settings.context.userId': 'user.id',
      'ai.settings.context.sessionId': 'session.id',
    }),
    ...rowsOf({ 'ai.prompt': 'data.inputs' }, inputsOf),
    { from: 'ai.settings.context.*', to: 'meta.context.*', read: parsedContainer },
    ...rowsOf({ 'ai.response.finishReason': 'meta.response.finish_reasons' }, reason => [reason]),
    ...rowsOf(
      {
        'ai.prompt.messages': 'data.inputs.prompt',
        'ai.value': 'data.inputs.value',
        'ai.embedding': 'data.outputs.embedding',
        'ai.response.object': 'data.outputs',
        'ai.response.toolCalls': 'data.outputs.toolCalls',
        'ai.toolCall.args': 'data.inputs.args',
        'ai.toolCall.result': 'data.outputs',
        'ai.response.files': 'data.outputs.files',
      },
      parsed,
    ),
    // Lists of JSON texts.
    ...rowsOf(
      {
        'ai.prompt.tools': 'data.inputs.tools',
        'ai.values': 'data.inputs.values',
        'ai.documents': 'data.inputs.documents',
        'ai.embeddings': 'data.outputs.embeddings',
        'ai.ranking': 'data.outputs.ranking',
      },
      sent => (Array.isArray(sent) ? sent.map(parsed) : parsed(sent)),
    ),
    ...rowsOf({ 'ai.response.reasoning': 'data.outputs.reasoning' }),
    ...lookedAt(METADATA),
  ],
  complete(found, { attributes }) {
    nameOutputs(found)
    putCachedBeside(found, attributes)
  },
  repeatsUsage(attributes) {
    const id = attributes.get('ai.operationId')
    return typeof id === 'string' && OUTER_ID.test(id)
  },
}

const BESIDE_TEXT = ['data.outputs.toolCalls', 'data.outputs.reasoning', 'data.outputs.files']

/** Text (or an object) alone is the output. With tool calls, reasoning or files it becomes a member of the output. */
function nameOutputs(found: Found): void {
  const outputs = found.get('data.outputs')
  if (outputs === undefined || !BESIDE_TEXT.some(place => found.has(place))) return
  found.delete('data.outputs')
  found.set(typeof outputs === 'string' ? 'data.outputs.text' : 'data.outputs.object', outputs)
}

/** Before version 6, the tokens of a prompt do not include those that Anthropic's API counts beside them. */
function putCachedBeside(found: Found, attributes: SentAttributes): void {
  const sent = attributes.get(METADATA)
  if (typeof sent !== 'string' || !sent.includes('"input_tokens"')) return
  const { anthropic } = parseObjectText(sent) ?? {}
  const usage = isJsonObject(anthropic) ? anthropic.usage : undefined
  const prompt = amountOf(found.get(`${TOKENS}prompt`))
  if (!isJsonObject(usage) || prompt === undefined || amountOf(usage.input_tokens) !== prompt) return
  const read = amountOf(usage.cache_read_input_tokens) ?? 0
  const written = amountOf(usage.cache_creation_input_tokens) ?? 0
  const total = amountOf(found.get(`${TOKENS}total`))
  if (total === prompt + (amountOf(found.get(`${TOKENS}completion`)) ?? 0))
    found.set(`${TOKENS}total`, total + read + written)
  found.set(`${TOKENS}prompt`, prompt + read + written)
  found.set(`${TOKENS}cache_read`, read)
  found.set(`${TOKENS}cache_creation`, written)
}
