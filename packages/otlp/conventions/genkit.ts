import { isJsonObject, type Json, type JsonObject, type SpanType } from '@spanhouse/model'
import { withoutAbsent } from '../canonical/without-absent.ts'
import { type Convention, lookedAt, rowsOf } from './convention.ts'
import { putUsage } from './usage.ts'
import { inputsOf, parsedValue } from './value.ts'

const SPAN_TYPE_OF_ACTION: ReadonlyMap<Json, SpanType> = new Map([
  ['model', 'chat'],
  ['flow', 'workflow'],
  ['tool', 'tool'],
  ['embedder', 'embedding'],
  ['retriever', 'query'],
  ['reranker', 'rerank'],
  ['agent', 'agent'],
])

/** Genkit. */
export const genkit: Convention = {
  name: 'genkit',
  rows: [
    ...rowsOf({ 'genkit:type': 'type.span' }, type => (type === 'flow' ? 'workflow' : undefined)),
    ...rowsOf({ 'genkit:metadata:subtype': 'type.span' }, type => SPAN_TYPE_OF_ACTION.get(type)),
    // Both are always JSON text.
    ...rowsOf({ 'genkit:input': 'data.inputs' }, input => inputsOf(parsedValue(input))),
    ...rowsOf({ 'genkit:output': 'data.outputs' }, parsedValue),
    ...rowsOf({
      'genkit:sessionId': 'session.id',
      'genkit:path': 'meta.path',
      'genkit:state': 'meta.state',
    }),
    ...lookedAt('genkit:name'),
  ],
  complete(found, { attributes }) {
    const type = found.get('type.span')
    const name = attributes.get('genkit:name')
    if (typeof name !== 'string') return
    if (type === 'tool') found.set('meta.tool.name', name)
    if (type !== 'chat' && type !== 'embedding') return
    found.set('meta.request.model', name)
    putUsage(found, 'tokens', usageIn(found.get('data.outputs')))
  },
}

/**
 * The usage in a model's response, in the shape of OpenAI's: cached tokens are part of the input, thoughts of the
 * output unless the total tells otherwise. Plugins for other providers leave both out, but keep the provider's response.
 */
function usageIn(response: Json | undefined): Json | undefined {
  const { usage, raw }: Partial<JsonObject> = isJsonObject(response) ? response : {}
  if (!isJsonObject(usage)) return undefined
  const { inputTokens, outputTokens, totalTokens, cachedContentTokens, thoughtsTokens }: Partial<JsonObject> = usage
  if (cachedContentTokens === undefined && isJsonObject(raw) && isJsonObject(raw.usage)) return raw.usage
  return withoutAbsent({
    input_tokens: inputTokens,
    output_tokens: outputTokens,
    total_tokens: totalTokens,
    input_tokens_details: withoutAbsent({ cached_tokens: cachedContentTokens }),
    output_tokens_details: withoutAbsent({ reasoning_tokens: thoughtsTokens }),
  })
}
