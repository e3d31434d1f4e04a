import { isJsonObject, type Json, type JsonObject, type SpanType } from '@spanhouse/model'
import { copyOf } from '../canonical/copy.ts'
import { type Convention, type Found, lookedAt, rowsOf } from './convention.ts'
import { putUsage } from './usage.ts'
import { amountOf, inputsOf, parsedContainer } from './value.ts'

const SPAN_TYPE_OF_KIND: ReadonlyMap<Json, SpanType> = new Map([
  ['llm', 'chat'],
  ['chain', 'chain'],
  ['tool', 'tool'],
  ['agent', 'agent'],
  ['rag', 'query'],
  ['workflow', 'workflow'],
])

/** The SDKs of LangWatch, whose values are JSON texts that tell their kind: `{ type, value }`. */
export const langWatch: Convention = {
  name: 'langwatch',
  rows: [
    ...rowsOf({ 'langwatch.span.type': 'type.span' }, type => SPAN_TYPE_OF_KIND.get(type) ?? 'task'),
    ...rowsOf({ 'langwatch.input': 'data.inputs' }, sent => {
      const value = valueIn(sent)
      // A text is a text even if it is JSON.
      return typeof value === 'string' ? { input: value } : inputsOf(value)
    }),
    ...rowsOf({ 'langwatch.output': 'data.outputs' }, sent => {
      const value = valueIn(sent)
      return areMessages(value) ? { completion: value } : value
    }),
    ...rowsOf(
      { 'langwatch.params': 'data.parameters', 'langwatch.prompt.variables': 'meta.prompt.variables' },
      valueIn,
    ),
    ...rowsOf({
      'langwatch.langgraph.thread_id': 'session.id',
      'langwatch.thread.id': 'session.id',
      'langwatch.langgraph.user_id': 'user.id',
      'langwatch.user.id': 'user.id',
      'langwatch.customer.id': 'meta.customer.id',
      'langwatch.labels': 'meta.tags',
      'langwatch.prompt.handle': 'meta.prompt.name',
      'langwatch.prompt.version.number': 'meta.prompt.version',
    }),
    ...lookedAt('langwatch.metrics', 'langwatch.contexts'),
  ],
  complete(found, { attributes }) {
    putMetrics(found, valueIn(copyOf(attributes.get('langwatch.metrics') ?? null)))
    const contexts = attributes.get('langwatch.contexts') ?? null
    if (contexts !== null && !found.has('data.outputs'))
      found.set('data.outputs', { documents: valueIn(copyOf(contexts)) })
  },
}

function putMetrics(found: Found, metrics: Json): void {
  putUsage(found, 'tokens', metrics)
  const cost = isJsonObject(metrics) ? amountOf(metrics.cost) : undefined
  if (cost !== undefined) found.set('metrics.costs.incremental.total', cost)
}

/** The value that its kind goes with, those of a list without theirs; messages of several lists are one list. */
function valueIn(sent: Json): Json {
  const { type, value }: Partial<JsonObject> = isJsonObject(sent) ? sent : asObject(parsedContainer(sent))
  if (typeof type !== 'string' || value === undefined) return parsedContainer(sent)
  if (type !== 'list' || !Array.isArray(value)) return value
  const values = value.map(valueIn)
  return values.length > 0 && values.every(areMessages) ? values.flat() : values
}

const asObject = (value: Json): JsonObject => (isJsonObject(value) ? value : {})

const areMessages = (value: Json): boolean =>
  Array.isArray(value) && value.length > 0 && value.every(one => isJsonObject(one) && typeof one.role === 'string')
