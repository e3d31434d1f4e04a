import { isJsonObject, type Json } from '@spanhouse/model'
import { getOwn } from '../canonical/own-property.ts'
import { parseObjectText, parseText } from '../json/json-text.ts'
import { type Convention, rowsOf } from './convention.ts'
import { lowerCaseSpanType } from './span-type.ts'

/** Instrumentation wraps the inputs: `{ inputs, tags, … }`. Decorators do not. */
function inputsOf(sent: Json): Json | undefined {
  const wrapper = typeof sent === 'string' ? parseObjectText(sent) : sent
  if (!isJsonObject(wrapper)) return undefined
  const isCall = Array.isArray(getOwn(wrapper, 'args')) && isJsonObject(getOwn(wrapper, 'kwargs'))
  return isCall ? wrapper : getOwn(wrapper, 'inputs')
}

function outputsOf(sent: Json): Json | undefined {
  const output = typeof sent === 'string' ? parseText(sent) : sent
  return isJsonObject(output) ? getOwn(output, 'outputs') : output
}

/**
 * OpenLLMetry and the traceloop SDKs. For their attributes under `gen_ai.*` that follow OpenTelemetry see `gen-ai.ts`.
 */
export const openLlmetry: Convention = {
  name: 'openllmetry',
  rows: [
    ...rowsOf({ 'traceloop.span.kind': 'type.span', 'llm.request.type': 'type.span' }, lowerCaseSpanType),
    ...rowsOf({ 'traceloop.entity.input': 'data.inputs' }, inputsOf),
    ...rowsOf({ 'traceloop.entity.output': 'data.outputs' }, outputsOf),
    ...rowsOf({
      'gen_ai.prompt.*': 'data.inputs.prompt.*',
      'gen_ai.completion.*': 'data.outputs.completion.*',
      'llm.request.functions.*': 'data.inputs.functions.*',
      'llm.request.tools.*': 'data.inputs.tools.*',
      'llm.usage.total_tokens': 'metrics.tokens.incremental.total',
      'llm.headers': 'meta.request.headers',
      'llm.top_k': 'meta.request.top_k',
      'db.vector.query.top_k': 'meta.request.top_k',
      'pinecone.query.top_k': 'meta.request.top_k',
      'llm.is_streaming': 'meta.request.streaming',
      'gen_ai.openai.api_base': 'meta.request.base_url',
      'db.system': 'meta.system',
    }),
  ],
}
