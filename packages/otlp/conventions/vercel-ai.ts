import type { Json, SpanType } from '@spanhouse/model'
import { parseText } from '../json/json-text.ts'
import { type Convention, type Found, rowsOf } from './convention.ts'

const EMBEDDING_ID = /^ai\.embed(Many)?(\.doEmbed)?$/
/** The one call to the provider inside `ai.generateText` and its kin. */
const MODEL_CALL_ID = /\.do(Generate|Stream)$/

function spanTypeOf(operationId: Json): SpanType | undefined {
  if (typeof operationId !== 'string') return undefined
  if (operationId === 'ai.toolCall') return 'tool'
  if (EMBEDDING_ID.test(operationId)) return 'embedding'
  return MODEL_CALL_ID.test(operationId) ? 'chat' : 'task'
}

/** What the application calls: around one call to the provider or, with tools, several. */
const OUTER_ID = /^ai\.(embed(Many)?|(generate|stream)(Text|Object))$/

/** JSON text as its value; other text as it is. */
const parsed = (value: Json): Json => (typeof value === 'string' ? (parseText(value) ?? value) : value)

/** The AI SDK of Vercel. What it writes under `gen_ai.*` is in `gen-ai.ts`. */
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
      // Embeddings have this one alone.
      'ai.usage.tokens': 'metrics.tokens.incremental.prompt',
      'ai.usage.completionTokens': 'metrics.tokens.incremental.completion',
      'ai.usage.outputTokens': 'metrics.tokens.incremental.completion',
      'ai.usage.totalTokens': 'metrics.tokens.incremental.total',
      'ai.usage.reasoningTokens': 'metrics.tokens.incremental.reasoning',
      'ai.usage.cachedInputTokens': 'metrics.tokens.incremental.cached',
      'ai.usage.inputTokenDetails.cacheWriteTokens': 'metrics.tokens.incremental.cache_creation',
      'ai.prompt': 'data.inputs',
      'ai.response.text': 'data.outputs',
      'ai.toolCall.name': 'data.inputs.name',
      'ai.telemetry.metadata.userId': 'user.id',
      'ai.telemetry.metadata.sessionId': 'session.id',
    }),
    ...rowsOf({ 'ai.response.finishReason': 'meta.response.finish_reasons' }, reason => [reason]),
    ...rowsOf(
      {
        'ai.prompt.messages': 'data.inputs.prompt',
        'ai.response.object': 'data.outputs',
        'ai.response.toolCalls': 'data.outputs.toolCalls',
        'ai.toolCall.args': 'data.inputs.args',
        'ai.toolCall.result': 'data.outputs',
      },
      parsed,
    ),
    ...rowsOf({ 'ai.response.reasoning': 'data.outputs.reasoning' }),
  ],
  complete: nameOutputs,
  repeatsUsage(attributes) {
    const id = attributes.get('ai.operationId')
    return typeof id === 'string' && OUTER_ID.test(id)
  },
}

const BESIDE_TEXT = ['data.outputs.toolCalls', 'data.outputs.reasoning']

/** Text (or an object) alone is the output. With tool calls or reasoning it is one member of it. */
function nameOutputs(found: Found): void {
  const outputs = found.get('data.outputs')
  if (outputs === undefined || !BESIDE_TEXT.some(place => found.has(place))) return
  found.delete('data.outputs')
  found.set(typeof outputs === 'string' ? 'data.outputs.text' : 'data.outputs.object', outputs)
}
