import { isJsonObject, type Json, type SpanType } from '@spanhouse/model'
import { copyOf } from '../canonical/copy.ts'
import { type Convention, lookedAt, rowsOf } from './convention.ts'
import { putUsage } from './usage.ts'
import { amountOf, inputsOf, parsedValue } from './value.ts'

const SPAN_TYPE_OF_KIND: ReadonlyMap<Json, SpanType> = new Map([
  ['LLM', 'chat'],
  ['CHAT_MODEL', 'chat'],
  ['CHAIN', 'chain'],
  ['AGENT', 'agent'],
  ['TOOL', 'tool'],
  ['RETRIEVER', 'query'],
  ['RERANKER', 'rerank'],
  ['EMBEDDING', 'embedding'],
  ['WORKFLOW', 'workflow'],
])

const COSTS = { input_cost: 'prompt', output_cost: 'completion', total_cost: 'total' }

/** MLflow, whose values are all JSON texts, names too. */
export const mlflow: Convention = {
  name: 'mlflow',
  rows: [
    ...rowsOf({ 'mlflow.spanType': 'type.span' }, type => SPAN_TYPE_OF_KIND.get(parsedValue(type)) ?? 'task'),
    ...rowsOf({ 'mlflow.spanInputs': 'data.inputs' }, sent => inputsOf(parsedValue(sent))),
    ...rowsOf(
      {
        'mlflow.spanOutputs': 'data.outputs',
        'mlflow.llm.model': 'meta.request.model',
        'mlflow.llm.provider': 'meta.system',
        'mlflow.trace.session': 'session.id',
        'mlflow.trace.user': 'user.id',
      },
      parsedValue,
    ),
    ...lookedAt('mlflow.chat.tokenUsage', 'mlflow.llm.cost'),
  ],
  complete(found, { attributes }) {
    const valueAt = (key: string): Json => parsedValue(copyOf(attributes.get(key) ?? null))
    putUsage(found, 'tokens', valueAt('mlflow.chat.tokenUsage'))
    const costs = valueAt('mlflow.llm.cost')
    if (!isJsonObject(costs)) return
    for (const [key, name] of Object.entries(COSTS)) {
      const cost = amountOf(costs[key])
      if (cost !== undefined) found.set(`metrics.costs.incremental.${name}`, cost)
    }
  },
}
