import type { Json, SpanType } from '@spanhouse/model'
import { type Convention, rowsOf } from './convention.ts'
import { inputsOf, parsedContainer, parsedValue } from './value.ts'

const SPAN_TYPE_OF_KIND: ReadonlyMap<Json, SpanType> = new Map([
  ['LLM', 'chat'],
  ['TOOL', 'tool'],
])

/** The SDKs of Laminar. For their attributes under `gen_ai.*` see `gen-ai.ts` and `openllmetry.ts`. */
export const laminar: Convention = {
  name: 'laminar',
  rows: [
    ...rowsOf({ 'lmnr.span.type': 'type.span' }, type => SPAN_TYPE_OF_KIND.get(type) ?? 'task'),
    // Both are always JSON text; inputs are the arguments of a function, of which a single object is sent alone.
    ...rowsOf({ 'lmnr.span.input': 'data.inputs' }, sent => inputsOf(parsedValue(sent))),
    ...rowsOf({ 'lmnr.span.output': 'data.outputs' }, parsedValue),
    ...rowsOf({ 'lmnr.association.properties.metadata.*': 'meta.metadata.*' }, parsedContainer),
    ...rowsOf({
      'lmnr.association.properties.session_id': 'session.id',
      'lmnr.association.properties.user_id': 'user.id',
      'lmnr.association.properties.tags': 'meta.tags',
      'gen_ai.usage.input_cost': 'metrics.costs.incremental.prompt',
      'gen_ai.usage.output_cost': 'metrics.costs.incremental.completion',
    }),
  ],
}
