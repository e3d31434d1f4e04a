import type { Json, SpanType } from '@spanhouse/model'
import { copyOf } from '../canonical/copy.ts'
import { parseObjectText } from '../json/json-text.ts'
import { type Convention, type Found, lookedAt, rowsOf, type SentAttributes } from './convention.ts'
import { putUsage } from './usage.ts'
import { inputsOf, parsedContainer, parsedValue } from './value.ts'

const SPAN_TYPE_OF_OBSERVATION: ReadonlyMap<Json, SpanType> = new Map([
  ['generation', 'chat'],
  ['embedding', 'embedding'],
  ['agent', 'agent'],
  ['tool', 'tool'],
  ['chain', 'chain'],
  ['retriever', 'query'],
])

const OBSERVATION = 'langfuse.observation.'

/** The Langfuse SDKs. */
export const langfuse: Convention = {
  name: 'langfuse',
  rows: [
    ...rowsOf({ [`${OBSERVATION}type`]: 'type.span' }, type => SPAN_TYPE_OF_OBSERVATION.get(type) ?? 'task'),
    ...rowsOf({ [`${OBSERVATION}input`]: 'data.inputs' }, inputsOf),
    ...rowsOf(
      {
        [`${OBSERVATION}output`]: 'data.outputs',
        [`${OBSERVATION}model.parameters`]: 'data.parameters',
        [`${OBSERVATION}metadata`]: 'meta.metadata',
        [`${OBSERVATION}metadata.*`]: 'meta.metadata.*',
        'langfuse.trace.metadata': 'meta.trace.metadata',
        'langfuse.trace.metadata.*': 'meta.trace.metadata.*',
      },
      parsedContainer,
    ),
    ...rowsOf({
      [`${OBSERVATION}model.name`]: 'meta.response.model',
      [`${OBSERVATION}prompt.name`]: 'meta.prompt.name',
      [`${OBSERVATION}prompt.version`]: 'meta.prompt.version',
      [`${OBSERVATION}level`]: 'meta.level',
      [`${OBSERVATION}status_message`]: 'meta.status_message',
      [`${OBSERVATION}version`]: 'meta.version',
      'langfuse.version': 'meta.version',
      'langfuse.environment': 'meta.environment',
      'langfuse.release': 'meta.release',
      'langfuse.trace.name': 'meta.trace.name',
      'langfuse.trace.tags': 'meta.tags',
      'langfuse.trace.public': 'meta.trace.public',
      'langfuse.session.id': 'session.id',
      'langfuse.user.id': 'user.id',
    }),
    // A date as JSON text.
    ...rowsOf({ [`${OBSERVATION}completion_start_time`]: 'meta.completion_start_time' }, parsedValue),
    ...lookedAt(`${OBSERVATION}usage_details`, `${OBSERVATION}cost_details`),
    ...lookedAt('langfuse.trace.input', 'langfuse.trace.output'),
  ],
  complete(found, { attributes }) {
    putTraceData(found, attributes)
    putUsage(found, 'tokens', objectAt(attributes, `${OBSERVATION}usage_details`))
    putUsage(found, 'costs', objectAt(attributes, `${OBSERVATION}cost_details`))
  },
  /** The SDK reports failures as the level of an observation, without the status of a span. */
  failure(attributes) {
    if (attributes.get(`${OBSERVATION}level`) !== 'ERROR') return undefined
    const message = attributes.get(`${OBSERVATION}status_message`)
    return typeof message === 'string' ? { message } : {}
  },
}

/** The trace's inputs and outputs are on its root, which mostly has the same ones. */
function putTraceData(found: Found, attributes: SentAttributes): void {
  const input = attributes.get('langfuse.trace.input') ?? null
  const output = attributes.get('langfuse.trace.output') ?? null
  if (input !== null && !found.has('data.inputs')) found.set('data.inputs', inputsOf(copyOf(input)))
  if (output !== null && !found.has('data.outputs')) found.set('data.outputs', parsedContainer(copyOf(output)))
}

const objectAt = (attributes: SentAttributes, key: string): Json | undefined => {
  const value = attributes.get(key)
  return typeof value === 'string' ? parseObjectText(value) : value
}
