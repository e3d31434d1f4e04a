import type { Json, SpanType } from '@spanhouse/model'
import { copyOf } from '../canonical/copy.ts'
import { type Convention, rowsOf } from './convention.ts'
import { inputsOf, parsedContainer } from './value.ts'

const SPAN_TYPE_OF_KIND: ReadonlyMap<Json, SpanType> = new Map([
  ['agent_run', 'agent'],
  ['workflow_run', 'workflow'],
  ['tool_call', 'tool'],
  ['mcp_tool_call', 'tool'],
])

/** Mastra, whose attributes are named by the type of the span. For those under `gen_ai.*` see `gen-ai.ts`. */
export const mastra: Convention = {
  name: 'mastra',
  rows: [
    ...rowsOf({ 'mastra.span.type': 'type.span' }, type => SPAN_TYPE_OF_KIND.get(type) ?? 'task'),
    ...rowsOf({ 'mastra.metadata.*': 'meta.metadata.*', 'mastra.tags': 'meta.tags' }, parsedContainer),
    ...rowsOf({
      'mastra.metadata.threadId': 'session.id',
      'mastra.metadata.sessionId': 'session.id',
      'mastra.metadata.userId': 'user.id',
      'mastra.completion_start_time': 'meta.completion_start_time',
    }),
  ],
  complete(found, { attributes }) {
    const type = attributes.get('mastra.span.type')
    if (typeof type !== 'string') return
    const input = attributes.get(`mastra.${type}.input`) ?? null
    const output = attributes.get(`mastra.${type}.output`) ?? null
    if (input !== null) found.set('data.inputs', inputsOf(copyOf(input)))
    if (output !== null) found.set('data.outputs', parsedContainer(copyOf(output)))
  },
}
