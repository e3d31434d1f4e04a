import { isJsonObject, type Json, type JsonObject, type SpanType } from '@spanhouse/model'
import { parseText } from '../json/json-text.ts'
import { type Convention, type Found, rowsOf, type SentAttributes } from './convention.ts'
import { inputsOf, parsedContainer } from './value.ts'

const SPAN_TYPE_OF_KIND: ReadonlyMap<string, SpanType> = new Map([
  ['CHAIN', 'chain'],
  ['RETRIEVER', 'query'],
  ['RERANKER', 'rerank'],
  ['LLM', 'chat'],
  ['EMBEDDING', 'embedding'],
  ['AGENT', 'agent'],
  ['TOOL', 'tool'],
  ['GUARDRAIL', 'task'],
  ['EVALUATOR', 'task'],
])

const spanTypeOf = (kind: Json): SpanType | undefined =>
  typeof kind === 'string' ? SPAN_TYPE_OF_KIND.get(kind.toUpperCase()) : undefined

const parsed = (value: Json): Json | undefined => (typeof value === 'string' ? parseText(value) : value)

/** Removes the object with a single member that wraps each message and each tool call. */
const withoutWrappers = (rest: string): string =>
  rest.replace(/^(\d+)\.message\./, '$1.').replaceAll(/tool_calls\.(\d+)\.tool_call\./g, 'tool_calls.$1.')

/** OpenInference: Arize Phoenix and the instrumentations made for it. */
export const openInference: Convention = {
  name: 'openinference',
  rows: [
    ...rowsOf({ 'openinference.span.kind': 'type.span' }, spanTypeOf),
    ...rowsOf({ 'input.value': 'data.inputs' }, inputsOf),
    ...rowsOf({ 'output.value': 'data.outputs' }, parsedContainer),
    ...rowsOf({
      'llm.cost.*': 'metrics.costs.incremental.*',
      'input.mime_type': 'meta.input.mime_type',
      'output.mime_type': 'meta.output.mime_type',
      'llm.model_name': 'meta.response.model',
      'embedding.model_name': 'meta.request.model',
      'llm.invocation_parameters': 'meta.request',
      'llm.provider': 'meta.provider',
      'llm.system': 'meta.system',
      'llm.token_count.*': 'metrics.tokens.incremental.*',
    }),
    { from: 'llm.input_messages.*', to: 'data.inputs.prompt.*', rename: withoutWrappers },
    { from: 'llm.output_messages.*', to: 'data.outputs.completion.*', rename: withoutWrappers },
    {
      from: 'llm.tools.*',
      to: 'data.inputs.tools.*',
      rename: rest => rest.replace(/^(\d+)\.tool\.json_schema$/, '$1'),
      read: parsed,
      otherwise: 'data.inputs.tools.*',
    },
    ...rowsOf({
      'llm.function_call': 'data.outputs.function_call',
      'embedding.text': 'data.inputs.embedding.text',
      'embedding.vector': 'data.outputs.embedding.vector',
      'embedding.embeddings.*': 'data.inputs.embeddings.*',
      'retrieval.documents.*': 'data.outputs.retrieval.documents.*',
      'reranker.input_documents.*': 'data.inputs.reranker.input_documents.*',
      'reranker.output_documents.*': 'data.outputs.reranker.output_documents.*',
      'reranker.model_name': 'meta.reranker.model_name',
      'reranker.query': 'meta.reranker.query',
      'reranker.top_k': 'meta.reranker.top_k',
      'message.contents.*': 'data.inputs.message_contents.*',
      'document.content': 'data.internals.document.content',
      'document.id': 'data.internals.document.id',
      'document.metadata': 'data.internals.document.metadata',
      'document.score': 'data.internals.document.score',
      'image.url': 'data.multimedia.image.url',
      'audio.url': 'data.multimedia.audio.url',
      'audio.transcript': 'data.multimedia.audio.transcript',
      'audio.mime_type': 'meta.multimedia.audio.mime_type',
      'llm.prompt_template.template': 'meta.prompt_template.template',
      'llm.prompt_template.variables': 'meta.prompt_template.variables',
      'llm.prompt_template.version': 'meta.prompt_template.version',
      'tool.name': 'meta.tool.name',
      'tool.description': 'meta.tool.description',
      'tool.json_schema': 'meta.tool.json_schema',
      'tool.id': 'meta.tool.id',
      'tool.parameters': 'meta.tool.parameters',
      'tool_call.function.arguments': 'data.inputs.tool_call.function.arguments',
      'tool_call.function.name': 'meta.tool_call.function.name',
      'tool_call.id': 'meta.tool_call.id',
      'session.id': 'session.id',
      'user.id': 'user.id',
      'tag.tags': 'meta.tags',
      metadata: 'meta.metadata',
      'exception.type': 'exception.type',
      'exception.message': 'exception.message',
      'exception.stacktrace': 'exception.stacktrace',
      'exception.escaped': 'exception.escaped',
    }),
  ],
  complete(found, { attributes }) {
    keepPlainText(found, attributes)
    putMissingContents(found)
    putSystemMessage(found)
    dropRawMessages(found)
    dropPlainInputs(found)
    putContents(found)
  },
}

const PLAIN_TEXT = /^\s*text\/plain\b/i

/** A value that is declared as plain text is not decoded, even if it could be. */
function keepPlainText(found: Found, attributes: SentAttributes): void {
  const plainText = (side: 'input' | 'output'): string | undefined => {
    const value = attributes.get(`${side}.value`)
    return typeof value === 'string' && PLAIN_TEXT.test(String(attributes.get(`${side}.mime_type`))) ? value : undefined
  }
  const input = plainText('input')
  const output = plainText('output')
  if (input !== undefined) found.set('data.inputs', { input })
  if (output !== undefined) found.set('data.outputs', output)
}

/** What was sent of a message: the places of its content, and whether it has calls of tools or the like. */
interface SentMessage {
  shown: Set<string>
  hasOthers: boolean
}

/**
 * Of messages whose content is a list, some instrumentations send only the role, or only the parts of some kinds. Their
 * content is in the raw request or response, whose messages are the same ones, perhaps without the system's.
 */
function putMissingContents(found: Found): void {
  for (const [list, raw] of [
    ['data.inputs.prompt', rawMessagesIn(found.get('data.inputs'), 'messages')],
    ['data.outputs.completion', rawMessagesIn(found.get('data.outputs'), 'generations')],
  ] as const) {
    if (raw.length === 0) continue
    const messages = sentMessages(found, list)
    const before = messages.size - raw.length
    const isSystem = (index: number): boolean => found.get(`${list}.${index}.role`) === 'system'
    if (before < 0 || (before > 0 && !Array.from({ length: before }, (_, index) => index).every(isSystem))) continue
    for (const [index, message] of messages) {
      const content = contentOf(raw[index - before])
      if (content === undefined) continue
      if (message.shown.size === 0 && !message.hasOthers) found.set(`${list}.${index}.content`, content)
      else if (Array.isArray(content)) putMissingParts(found, `${list}.${index}`, message, content)
    }
  }
}

function sentMessages(found: Found, list: string): Map<number, SentMessage> {
  const messages = new Map<number, SentMessage>()
  for (const place of found.keys()) {
    if (!place.startsWith(`${list}.`)) continue
    const [index = '', member = '', part] = place.slice(list.length + 1).split('.', 3)
    const message = messages.get(Number(index)) ?? { shown: new Set(), hasOthers: false }
    if (member === 'content') message.shown.add(member)
    else if (member === 'contents') message.shown.add(`${member}.${part}`)
    else if (!WITHOUT_CONTENT.has(member)) message.hasOthers = true
    messages.set(Number(index), message)
  }
  return messages
}

/** Calls of tools are sent apart, by some instrumentations among the parts as well. */
function putMissingParts(found: Found, message: string, { shown, hasOthers }: SentMessage, parts: Json[]): void {
  const isCall = (place: string): boolean => found.get(`${message}.${place}.message_content.type`) === 'tool_use'
  const others = parts.filter(
    part => !isObjectWith(part, 'toolUse') && !(isJsonObject(part) && part.type === 'tool_use'),
  )
  if (others.length <= [...shown].filter(place => !isCall(place)).length) return
  for (const place of [...found.keys()]) if (place.startsWith(`${message}.contents.`)) found.delete(place)
  found.set(`${message}.content`, hasOthers ? others : parts)
}

const isObjectWith = (value: Json, key: string): boolean => isJsonObject(value) && Object.hasOwn(value, key)

/** Anthropic's API has the system's message beside the others. */
function putSystemMessage(found: Found): void {
  const request = found.get('data.inputs')
  const { system }: Partial<JsonObject> = isJsonObject(request) && Array.isArray(request.messages) ? request : {}
  if (system === undefined || system === null) return
  const messages = [...found].filter(([place]) => place.startsWith('data.inputs.prompt.'))
  if (messages.length === 0 || messages.some(([place, value]) => place.endsWith('.role') && value === 'system')) return
  for (const [place] of messages) found.delete(place)
  found.set('data.inputs.prompt.0.role', 'system')
  found.set('data.inputs.prompt.0.content', Array.isArray(system) ? textOf(system) : system)
  for (const [place, value] of messages)
    found.set(
      place.replace(/(?<=^data\.inputs\.prompt\.)\d+/, index => String(Number(index) + 1)),
      value,
    )
}

const WITHOUT_CONTENT = new Set(['role', 'name', 'tool_call_id'])

/** The messages of a request, and the answers in a response of LangChain, which are in a list for each prompt. */
function rawMessagesIn(value: Json | undefined, name: 'messages' | 'generations'): readonly Json[] {
  const messages = isJsonObject(value) ? value[name] : undefined
  return Array.isArray(messages) ? messages.flat() : []
}

/** The content of a message as APIs have it, as LangChain has it, or as one of its answers. */
function contentOf(message: Json | undefined): Json | undefined {
  if (!isJsonObject(message)) return undefined
  const { content } = isJsonObject(message.kwargs) ? message.kwargs : message
  if (content === undefined) return contentOf(message.message)
  return Array.isArray(content) ? textOf(content) : (content ?? undefined)
}

/** The text of a list of nothing but texts; otherwise the list. */
const textOf = (parts: Json[]): Json =>
  parts.every(part => isJsonObject(part) && typeof part.text === 'string' && (part.type ?? 'text') === 'text')
    ? parts.map(part => (part as JsonObject).text).join(' ')
    : parts

/** For a model call the messages are the data; the raw request and response repeat them in the provider's format. */
function dropRawMessages(found: Found): void {
  const type = found.get('type.span')
  if (type !== 'chat' && type !== 'completion') return
  const places = [...found.keys()]
  if (places.some(place => place.startsWith('data.inputs.prompt.'))) found.delete('data.inputs')
  if (places.some(place => place.startsWith('data.outputs.completion.'))) found.delete('data.outputs')
}

/** Inputs that were wrapped, because they are no object, repeat what is below the inputs in detail. */
function dropPlainInputs(found: Found): void {
  const inputs = found.get('data.inputs')
  if (!isJsonObject(inputs) || !Object.hasOwn(inputs, 'input') || Object.keys(inputs).length > 1) return
  for (const place of found.keys())
    if (place.startsWith('data.inputs.')) {
      found.delete('data.inputs')
      return
    }
}

const CONTENT_TEXT = /^(data\.(?:inputs\.prompt|outputs\.completion)\.\d+)\.contents\.\d+\.message_content\.text$/
const VECTOR = /^data\.inputs\.embeddings\.(\d+)\.embedding\.vector$/

/** The texts in the parts of a message are its content or what the model thought; vectors are outputs. */
function putContents(found: Found): void {
  const texts = new Map<string, string[]>()
  const vectors: [string, Json][] = []
  for (const [place, value] of found) {
    const [, message] = place.includes('.contents.') ? (CONTENT_TEXT.exec(place) ?? []) : []
    if (message !== undefined && typeof value === 'string') {
      const isThought = found.get(place.replace(/text$/, 'type')) === 'reasoning'
      const member = `${message}.${isThought ? 'thinking' : 'content'}`
      const known = texts.get(member)
      if (known) known.push(value)
      else texts.set(member, [value])
    }
    const [, index] = place.endsWith('.vector') ? (VECTOR.exec(place) ?? []) : []
    if (index !== undefined && !(Array.isArray(value) && value.length === 0))
      vectors.push([`data.outputs.embeddings.${index}.vector`, value])
  }
  for (const [member, parts] of texts) if (!found.has(member)) found.set(member, parts.join(' '))
  for (const [place, vector] of vectors) found.set(place, vector)
}
