import { isJsonObject, type Json, type JsonObject, type SpanEvent } from '@spanhouse/model'
import { withoutAbsent } from '../../canonical/without-absent.ts'
import { parsedContainer } from '../value.ts'
import { normaliseMessages, withInstructions } from './gen-ai-messages.ts'

/** The messages of a conversation, in the form of chat APIs. */
export interface Conversation {
  prompt: JsonObject[]
  completion: JsonObject[]
}

const MESSAGE = /^gen_ai\.(system|user|assistant|tool)\.message$/
const CHOICE = 'gen_ai.choice'
/** One event with the whole conversation. */
const DETAILS = 'gen_ai.client.inference.operation.details'
/** Of the first versions of the conventions. */
const PROMPT = 'gen_ai.content.prompt'
const COMPLETION = 'gen_ai.content.completion'

/** The conversation in the events of a span, in all versions of the conventions. */
export function conversationIn(events: readonly SpanEvent[]): Conversation {
  // Lists within lists: an event may have more messages than a call can have arguments.
  const prompt: (readonly JsonObject[])[] = []
  const completion: JsonObject[][] = []
  for (const { name, attributes = {} } of events) {
    const [, role] = MESSAGE.exec(name) ?? []
    if (role !== undefined) prompt.push(messagesOf(role, bodyOf(attributes)))
    else if (name === CHOICE) completion.push(choiceOf(bodyOf(attributes)))
    else if (name === DETAILS) {
      const messages = normaliseMessages(attributes['gen_ai.input.messages'])
      prompt.push(withInstructions(messages, attributes['gen_ai.system_instructions']))
      completion.push(normaliseMessages(attributes['gen_ai.output.messages']))
    } else if (name === PROMPT) prompt.push(textOrMessages('user', attributes['gen_ai.prompt']))
    else if (name === COMPLETION) completion.push(textOrMessages('assistant', attributes['gen_ai.completion']))
  }
  return { prompt: prompt.flat(), completion: completion.flat() }
}

/** The arguments and the result in the events of a tool's span. */
export function toolCallIn(events: readonly SpanEvent[]): { call?: Json; result?: Json } {
  const of = (wanted: string): JsonObject => bodyOf(events.find(({ name }) => name === wanted)?.attributes ?? {})
  const { content: call } = of('gen_ai.tool.message')
  const { message, content = message } = of(CHOICE)
  return {
    ...(call !== undefined && { call: parsedContainer(call) }),
    ...(content !== undefined && { result: textOfBlocks(parsedContainer(content)) }),
  }
}

/** Some senders put all members as JSON text into one attribute. */
function bodyOf(attributes: JsonObject): JsonObject {
  const body = attributes['gen_ai.event.content'] ?? attributes.event_body
  const parsed = body === undefined ? undefined : parsedContainer(body)
  return isJsonObject(parsed) ? { ...attributes, ...parsed } : attributes
}

function messagesOf(role: string, body: Record<string, Json | undefined>): JsonObject[] {
  const { content, tool_calls, id } = body
  // Some senders leave out what was said.
  if (content === undefined && tool_calls === undefined) return []
  return inChatForm({
    role: typeof body.role === 'string' ? body.role : role,
    content,
    tool_calls: tool_calls === undefined ? undefined : parsedContainer(tool_calls),
    tool_call_id: role === 'tool' ? id : undefined,
  })
}

function choiceOf(body: JsonObject): JsonObject[] {
  const { message, finish_reason } = body
  const parsed = message === undefined ? undefined : parsedContainer(message)
  const members = isJsonObject(parsed) ? parsed : { content: parsed ?? body.content, tool_calls: body.tool_calls }
  const [first, ...others] = messagesOf('assistant', members)
  return first ? [finish_reason === undefined ? first : { ...first, finish_reason }, ...others] : []
}

function textOrMessages(role: string, sent: Json | undefined): JsonObject[] {
  if (sent === undefined) return []
  const value = parsedContainer(sent)
  return Array.isArray(value) && value.some(isJsonObject)
    ? normaliseMessages(value)
    : inChatForm({ role, content: value })
}

/** Content in blocks like Bedrock's becomes parts, which are normalised like all messages. */
function inChatForm(message: Record<string, Json | undefined>): JsonObject[] {
  const content = message.content === undefined ? undefined : parsedContainer(message.content)
  const members = withoutAbsent({ ...message, content })
  if (!Array.isArray(content) || !content.every(isJsonObject)) return normaliseMessages([members])
  const { content: _, ...others } = members
  return normaliseMessages([{ ...others, parts: content.map(partOf) }])
}

/** A block that has no kind is named by its only member: `{ text }`, `{ toolUse }`, `{ toolResult }`. */
function partOf(block: JsonObject): JsonObject {
  const { toolUse = block.type === 'toolUse' ? block : undefined, toolResult } = block
  if (isJsonObject(toolUse))
    return withoutAbsent({ type: 'tool_call', id: toolUse.toolUseId, name: toolUse.name, arguments: toolUse.input })
  if (isJsonObject(toolResult)) {
    const { toolUseId, content } = toolResult
    return withoutAbsent({ type: 'tool_call_response', id: toolUseId, result: content && textOfBlocks(content) })
  }
  const isText = typeof block.text === 'string' && (block.type === undefined || block.type === 'text')
  return isText ? { type: 'text', content: block.text as string } : block
}

/** The text of a list that contains nothing but blocks of text; other values are unchanged. */
function textOfBlocks(value: Json): Json {
  if (!Array.isArray(value) || value.length === 0) return value
  const texts = value.flatMap(block => (isJsonObject(block) && typeof block.text === 'string' ? [block.text] : []))
  return texts.length === value.length ? texts.join('\n') : value
}
