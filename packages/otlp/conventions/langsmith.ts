import { isJsonObject, type Json, type JsonObject, type SpanType } from '@spanhouse/model'
import { parseObjectText } from '../json/json-text.ts'
import { type Convention, type Found, lookedAt, rowsOf, type SentAttributes } from './convention.ts'
import { withCacheWrites } from './usage.ts'
import { amountOf, inputsOf, parsedContainer } from './value.ts'

const SPAN_TYPE_OF_KIND: ReadonlyMap<Json, SpanType> = new Map([
  ['llm', 'chat'],
  ['chain', 'chain'],
  ['tool', 'tool'],
  ['retriever', 'query'],
  ['embedding', 'embedding'],
])

/** LangSmith, which sends inputs and outputs as one JSON text each. */
export const langSmith: Convention = {
  name: 'langsmith',
  rows: [
    ...rowsOf({ 'langsmith.span.kind': 'type.span' }, kind => SPAN_TYPE_OF_KIND.get(kind) ?? 'task'),
    ...rowsOf({ 'gen_ai.prompt': 'data.inputs' }, inputsOf),
    ...rowsOf({ 'gen_ai.completion': 'data.outputs', 'langsmith.metadata.*': 'meta.metadata.*' }, parsedContainer),
    ...rowsOf({
      'langsmith.span.tags': 'meta.tags',
      'langsmith.trace.session_id': 'session.id',
      'langsmith.metadata.conversation_id': 'session.id',
      'langsmith.metadata.thread_id': 'session.id',
      'langsmith.metadata.session_id': 'session.id',
      'langsmith.metadata.user_id': 'user.id',
    }),
    ...lookedAt('langsmith.usage_metadata', 'gen_ai.usage.input_token_details', 'gen_ai.usage.output_token_details'),
  ],
  complete(found, { attributes }) {
    const usage = objectAt(attributes, 'langsmith.usage_metadata')
    put(found, usage, { input_tokens: 'prompt', output_tokens: 'completion', total_tokens: 'total' })
    for (const details of [usage.input_token_details, objectAt(attributes, 'gen_ai.usage.input_token_details')])
      put(found, isJsonObject(details) ? withCacheWrites(details, '') : undefined, {
        cache_read: 'cache_read',
        cache_creation: 'cache_creation',
        audio: 'prompt_details.audio',
      })
    for (const details of [usage.output_token_details, objectAt(attributes, 'gen_ai.usage.output_token_details')])
      put(found, details, { reasoning: 'reasoning', audio: 'completion_details.audio' })
  },
}

function objectAt(attributes: SentAttributes, key: string): JsonObject {
  const value = attributes.get(key)
  const object = typeof value === 'string' ? parseObjectText(value) : value
  return isJsonObject(object) ? object : {}
}

/** These counts are included in the prompt and the completion. */
function put(found: Found, sent: Json | undefined, places: Record<string, string>): void {
  if (!isJsonObject(sent)) return
  for (const [key, place] of Object.entries(places)) {
    const count = amountOf(sent[key])
    if (count !== undefined) found.set(`metrics.tokens.incremental.${place}`, count)
  }
}
