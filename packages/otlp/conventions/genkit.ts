import { isJsonObject, type Json, type SpanType } from '@spanhouse/model'
import { type Convention, type Found, lookedAt, rowsOf } from './convention.ts'
import { amountOf, inputsOf, parsedValue } from './value.ts'

const SPAN_TYPE_OF_ACTION: ReadonlyMap<Json, SpanType> = new Map([
  ['model', 'chat'],
  ['flow', 'workflow'],
  ['tool', 'tool'],
  ['embedder', 'embedding'],
  ['retriever', 'query'],
  ['reranker', 'rerank'],
  ['agent', 'agent'],
])

/** The members of `usage` in a model's response. */
const TOKENS = {
  inputTokens: 'prompt',
  outputTokens: 'completion',
  totalTokens: 'total',
  cachedContentTokens: 'cache_read',
  thoughtsTokens: 'reasoning',
}

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
    putUsage(found)
  },
}

function putUsage(found: Found): void {
  const response = found.get('data.outputs')
  const usage = isJsonObject(response) ? response.usage : undefined
  if (!isJsonObject(usage)) return
  for (const [key, place] of Object.entries(TOKENS)) {
    const count = amountOf(usage[key])
    if (count !== undefined) found.set(`metrics.tokens.incremental.${place}`, count)
  }
}
