import { isJsonObject, type Json } from '@spanhouse/model'
import { getOwn } from '../canonical/own-property.ts'
import { type Convention, lookedAt, rowsOf } from './convention.ts'
import { lowerCaseSpanType } from './span-type.ts'
import { inputsOf, parsedValue } from './value.ts'

/** The callbacks of frameworks wrap values: `{ inputs, tags, … }`. Decorators do not. */
const unwrapped = (member: 'inputs' | 'outputs', value: Json): Json =>
  isJsonObject(value) && Object.hasOwn(value, member) ? (getOwn(value, member) as Json) : value

/**
 * OpenLLMetry and the traceloop SDKs. For their attributes under `gen_ai.*` that follow OpenTelemetry see `gen-ai.ts`.
 */
export const openLlmetry: Convention = {
  name: 'openllmetry',
  rows: [
    ...rowsOf({ 'traceloop.span.kind': 'type.span', 'llm.request.type': 'type.span' }, lowerCaseSpanType),
    ...rowsOf({ 'traceloop.entity.input': 'data.inputs' }, sent => inputsOf(unwrapped('inputs', parsedValue(sent)))),
    ...rowsOf({ 'traceloop.entity.output': 'data.outputs' }, sent => unwrapped('outputs', parsedValue(sent))),
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
      'traceloop.association.properties.session_id': 'session.id',
      'traceloop.association.properties.user_id': 'user.id',
      'traceloop.workflow.name': 'meta.workflow.name',
      'traceloop.prompt.key': 'meta.prompt.name',
      'traceloop.prompt.version': 'meta.prompt.version',
    }),
    // OpenTelemetry's name of a prompt, which is not a message.
    ...lookedAt('gen_ai.prompt.name'),
  ],
}
