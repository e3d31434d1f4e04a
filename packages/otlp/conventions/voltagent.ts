import type { Json, SpanType } from '@spanhouse/model'
import { copyOf } from '../canonical/copy.ts'
import { type Convention, type Found, lookedAt, type SentAttributes } from './convention.ts'
import { normaliseMessages } from './messages/gen-ai-messages.ts'
import { inputsOf, parsedContainer } from './value.ts'

const SPAN_TYPE_OF_KIND: ReadonlyMap<Json, SpanType> = new Map([
  ['agent', 'agent'],
  ['llm', 'chat'],
  ['tool', 'tool'],
  ['retriever', 'query'],
  ['embedding', 'embedding'],
  ['workflow', 'workflow'],
])

const PLACES: Record<string, string> = {
  'llm.model': 'meta.request.model',
  'ai.model.name': 'meta.request.model',
  'llm.temperature': 'meta.request.temperature',
  'llm.top_p': 'meta.request.top_p',
  'llm.max_output_tokens': 'meta.request.max_tokens',
  'llm.stream': 'meta.request.streaming',
  'entity.name': 'meta.agent.name',
  'conversation.id': 'session.id',
  'user.id': 'user.id',
  'usage.cost': 'metrics.costs.incremental.total',
}

/** Below `llm.usage` on a model's call, below `usage` on the run of an agent. */
const COUNTS: Record<string, string> = {
  prompt_tokens: 'prompt',
  completion_tokens: 'completion',
  total_tokens: 'total',
  cached_tokens: 'cache_read',
  reasoning_tokens: 'reasoning',
}

/** VoltAgent, whose names are common words: they are read only in spans that say of what kind of entity they are. */
export const voltAgent: Convention = {
  name: 'voltagent',
  rows: lookedAt('entity.type'),
  complete(found, { attributes }) {
    if (!attributes.has('operation.id')) return
    // Only the span of an agent or of a workflow as a whole has no kind.
    const kind = attributes.get('span.type') ?? attributes.get('entity.type') ?? null
    found.set('type.span', SPAN_TYPE_OF_KIND.get(kind) ?? 'task')
    for (const key in PLACES) put(found, PLACES[key] as string, attributes.get(key))
    for (const key in COUNTS) {
      const sent = attributes.get(`llm.usage.${key}`) ?? attributes.get(`usage.${key}`)
      put(found, `metrics.tokens.incremental.${COUNTS[key]}`, sent)
    }
    const input = attributes.get('input') ?? null
    const output = attributes.get('output') ?? null
    if (input !== null) found.set('data.inputs', inputsOf(copyOf(input)))
    if (output !== null) found.set('data.outputs', parsedContainer(copyOf(output)))
    if (kind === 'llm') putRequest(found, attributes)
  },
  repeatsUsage: attributes => attributes.get('span.type') === undefined,
}

/** The tools are one text of their names. */
function putRequest(found: Found, attributes: SentAttributes): void {
  const prompt = normaliseMessages(attributes.get('llm.messages'))
  const tools = attributes.get('llm.tools')
  if (prompt.length > 0) found.set('data.inputs.prompt', prompt)
  found.set('data.inputs.tools', typeof tools === 'string' ? tools.split(',') : [])
}

function put(found: Found, place: string, value: Json | undefined): void {
  if (value !== undefined && value !== null) found.set(place, copyOf(value))
}
