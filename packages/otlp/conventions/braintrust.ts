import { isJsonObject, type Json, type JsonObject, type SpanType } from '@spanhouse/model'
import { withoutAbsent } from '../canonical/without-absent.ts'
import { parseObjectText } from '../json/json-text.ts'
import { type Convention, lookedAt, rowsOf, type SentAttributes } from './convention.ts'
import { putUsage } from './usage.ts'
import { inputsOf, parsedContainer, parsedValue } from './value.ts'

const SPAN_TYPE_OF_KIND: ReadonlyMap<Json | undefined, SpanType> = new Map([
  ['llm', 'chat'],
  ['tool', 'tool'],
])

/** The SDKs of Braintrust that export through OpenTelemetry, for Go, Java, Ruby and .NET. */
export const braintrust: Convention = {
  name: 'braintrust',
  rows: [
    ...rowsOf({ 'braintrust.input': 'data.inputs' }, inputsOf),
    ...rowsOf({ 'braintrust.output': 'data.outputs' }, parsedContainer),
    // These are always JSON text.
    ...rowsOf({ 'braintrust.input_json': 'data.inputs' }, sent => inputsOf(parsedValue(sent))),
    ...rowsOf({ 'braintrust.output_json': 'data.outputs' }, parsedValue),
    ...rowsOf(
      {
        'braintrust.metadata': 'meta.metadata',
        'braintrust.metadata.*': 'meta.metadata.*',
        'braintrust.tags': 'meta.tags',
      },
      parsedContainer,
    ),
    ...lookedAt('braintrust.span_attributes', 'braintrust.span_attributes.type', 'braintrust.metrics'),
  ],
  complete(found, { attributes }) {
    const { type = attributes.get('braintrust.span_attributes.type') } = objectAt(
      attributes,
      'braintrust.span_attributes',
    )
    if (type !== undefined) found.set('type.span', SPAN_TYPE_OF_KIND.get(type) ?? 'task')
    const { model } = objectAt(attributes, 'braintrust.metadata')
    if (typeof model === 'string') found.set('meta.request.model', model)
    putUsage(found, 'tokens', usageIn(objectAt(attributes, 'braintrust.metrics')))
  },
}

function objectAt(attributes: SentAttributes, key: string): Partial<JsonObject> {
  const value = attributes.get(key)
  const object = typeof value === 'string' ? parseObjectText(value) : value
  return isJsonObject(object) ? object : {}
}

/** In the shape of OpenAI's interfaces. */
function usageIn(metrics: Partial<JsonObject>): Json {
  return withoutAbsent({
    prompt_tokens: metrics.prompt_tokens,
    completion_tokens: metrics.completion_tokens,
    total_tokens: metrics.tokens,
    prompt_tokens_details: withoutAbsent({
      cached_tokens: metrics.prompt_cached_tokens,
      cache_creation: metrics.prompt_cache_creation_tokens,
    }),
    completion_tokens_details: withoutAbsent({ reasoning_tokens: metrics.completion_reasoning_tokens }),
  })
}
