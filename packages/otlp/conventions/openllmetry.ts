import { isJsonObject, type Json } from '@spanhouse/model'
import { parseObjectText } from '../json-text.ts'
import { getOwn } from '../own-property.ts'
import { type Convention, rowsOf } from './convention.ts'
import { lowerCaseSpanType } from './span-type.ts'

/** What traceloop's decorators record is wrapped, together with their own settings: `{ inputs, tags, … }`. */
const wrapped =
  (name: string) =>
  (value: Json): Json | undefined => {
    const wrapper = typeof value === 'string' ? parseObjectText(value) : value
    return isJsonObject(wrapper) ? getOwn(wrapper, name) : undefined
  }

/** OpenLLMetry and the traceloop SDKs. What they write under `gen_ai.*` as OpenTelemetry has it is in `gen-ai.ts`. */
export const openLlmetry: Convention = {
  name: 'openllmetry',
  rows: [
    ...rowsOf({ 'traceloop.span.kind': 'type.span', 'llm.request.type': 'type.span' }, lowerCaseSpanType),
    ...rowsOf({ 'traceloop.entity.input': 'data.inputs' }, wrapped('inputs')),
    ...rowsOf({ 'traceloop.entity.output': 'data.outputs' }, wrapped('outputs')),
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
