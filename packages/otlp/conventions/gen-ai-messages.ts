import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'
import { parseText } from '../json/json-text.ts'

/**
 * Converts messages `{ role, parts }`, as JSON text or as a list, to the form `{ role, content }` of chat APIs: text
 * parts are joined, images and files stay, tool calls are under `tool_calls`, and a tool's response is a message of the role `tool` before the
 * message that contained it. Messages already in that form are unchanged; items that are not objects are dropped.
 */
export function normaliseMessages(sent: Json | undefined): JsonObject[] {
  const list = typeof sent === 'string' ? parseText(sent) : sent
  return Array.isArray(list) ? list.filter(isJsonObject).flatMap(normaliseMessage) : []
}

/** The messages up to and including the user's last one, and those after it. */
export function splitAtLastUser(messages: readonly JsonObject[]): [JsonObject[], JsonObject[]] {
  const end = messages.findLastIndex(({ role }) => role === 'user') + 1
  return [messages.slice(0, end), messages.slice(end)]
}

function normaliseMessage(message: JsonObject): JsonObject[] {
  if (!Array.isArray(message.parts)) return [message.content === undefined ? { ...message, content: '' } : message]
  const parts = message.parts.filter(isJsonObject)
  const ofType = (...types: string[]): JsonObject[] =>
    parts.filter(({ type }) => typeof type === 'string' && types.includes(type))
  const answers = ofType('tool_call_response').map(toolMessage)
  // A message that contains only tool responses has no content of its own.
  if (answers.length > 0 && answers.length === parts.length) return answers
  const toolCalls = ofType('tool_call').map(toolCallOf)
  const thinking = textOf(ofType('thinking', 'reasoning'))
  return [
    ...answers,
    withoutAbsent({
      role: message.role,
      content: contentOf(parts),
      tool_calls: toolCalls.length > 0 ? toolCalls : undefined,
      thinking: thinking || undefined,
      finish_reason: message.finish_reason,
      tool_call_id: message.tool_call_id,
    }),
  ]
}

/** Parts with a place of their own in a message. */
const PLACED = new Set<Json | undefined>(['tool_call', 'tool_call_response', 'thinking', 'reasoning'])

/** Text alone becomes one text. With images, files and other parts beside it, the content is a list of parts. */
function contentOf(parts: readonly JsonObject[]): Json {
  const shown = parts.filter(({ type }) => !PLACED.has(type))
  if (shown.every(({ type }) => type === 'text')) return textOf(shown)
  return shown.map(part => (part.type === 'text' ? { type: 'text', text: part.content ?? '' } : part))
}

const toolMessage = ({ id, name, result, response }: JsonObject): JsonObject =>
  withoutAbsent({ role: 'tool', content: result ?? response, tool_call_id: id, name })

const toolCallOf = ({ id, name, arguments: args }: JsonObject): JsonObject =>
  withoutAbsent({ id, type: 'function', function: withoutAbsent({ name, arguments: args }) })

const textOf = (parts: readonly JsonObject[]): string =>
  parts.flatMap(({ content }) => (typeof content === 'string' ? [content] : [])).join(' ')

const withoutAbsent = (members: Record<string, Json | undefined>): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, member]) => member !== undefined)) as JsonObject
