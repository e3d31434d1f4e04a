import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'
import { withoutAbsent } from '../../canonical/without-absent.ts'
import { parseText } from '../../json/json-text.ts'
import { parsedContainer } from '../value.ts'

/**
 * Converts messages `{ role, parts }`, as JSON text or as a list, to the form `{ role, content }` of chat APIs: text
 * parts are joined, images and files stay, tool calls are under `tool_calls`, and a tool's response is a message of the
 * role `tool`: after the call if the same message contains it, otherwise before the message. Messages already in that
 * form are unchanged; items that are not objects are dropped.
 */
export function normaliseMessages(sent: Json | undefined): JsonObject[] {
  const list = typeof sent === 'string' ? parseText(sent) : sent
  return Array.isArray(list) ? list.filter(isJsonObject).flatMap(normaliseMessage) : []
}

/** Instructions are sent apart from the messages; a model sees them as the first one. */
export function withInstructions(prompt: readonly JsonObject[], sent: Json | undefined): readonly JsonObject[] {
  if (prompt.length === 0 || sent === undefined || sent === null || prompt[0]?.role === 'system') return prompt
  const parts = parsedContainer(sent)
  const system: JsonObject = Array.isArray(parts) ? { role: 'system', parts } : { role: 'system', content: parts }
  return [...normaliseMessages([system]), ...prompt]
}

/** The messages up to and including the user's last one, and those after it. */
export function splitAtLastUser(messages: readonly JsonObject[]): [JsonObject[], JsonObject[]] {
  const end = messages.findLastIndex(({ role }) => role === 'user') + 1
  return [messages.slice(0, end), messages.slice(end)]
}

function normaliseMessage(message: JsonObject): JsonObject[] {
  if (!Array.isArray(message.parts)) return [message.content === undefined ? { ...message, content: '' } : message]
  const messages: JsonObject[] = []
  let said = nothingSaid(Array.isArray(message.tool_calls) ? [...message.tool_calls] : [])
  for (const part of message.parts) {
    if (!isJsonObject(part)) continue
    if (part.type === 'tool_call_response') {
      // An agent's answer contains the calls that it has made, before their responses.
      if (said.toolCalls.length > 0) {
        messages.push(messageOf(message, said))
        said = nothingSaid()
      }
      messages.push(toolMessage(part))
    } else if (part.type === 'tool_call') said.toolCalls.push(toolCallOf(part))
    else if (part.type === 'thinking' || part.type === 'reasoning') said.thinking.push(part)
    else said.shown.push(part)
  }
  // A message that contains only tool responses has no content of its own.
  if (messages.length === 0 || isAnythingSaid(said)) messages.push(messageOf(message, said))
  const { finish_reason } = message
  const last = messages.findLastIndex(({ role }) => role === message.role)
  if (finish_reason !== undefined && last >= 0) messages[last] = { ...messages[last], finish_reason }
  return messages
}

/** What a message says apart from the responses of tools. */
interface Said {
  toolCalls: Json[]
  thinking: JsonObject[]
  shown: JsonObject[]
}

const nothingSaid = (toolCalls: Json[] = []): Said => ({ toolCalls, thinking: [], shown: [] })

const isAnythingSaid = ({ toolCalls, thinking, shown }: Said): boolean =>
  toolCalls.length > 0 || thinking.length > 0 || shown.length > 0

const messageOf = ({ role, name, tool_call_id }: JsonObject, { toolCalls, thinking, shown }: Said): JsonObject =>
  withoutAbsent({
    role,
    content: contentOf(shown),
    name,
    tool_calls: toolCalls.length > 0 ? toolCalls : undefined,
    thinking: textOf(thinking) || undefined,
    tool_call_id,
  })

/** Text alone becomes one text. With images, files and other parts beside it, the content is a list of parts. */
function contentOf(shown: readonly JsonObject[]): Json {
  if (shown.every(({ type }) => type === 'text')) return textOf(shown)
  return shown.map(part => (part.type === 'text' ? { type: 'text', text: part.content ?? '' } : part))
}

const toolMessage = ({ id, name, result, response }: JsonObject): JsonObject =>
  withoutAbsent({ role: 'tool', content: result ?? response, tool_call_id: id, name })

const toolCallOf = ({ id, name, arguments: args }: JsonObject): JsonObject =>
  withoutAbsent({ id, type: 'function', function: withoutAbsent({ name, arguments: args }) })

/** Parts without a text are skipped. */
function textOf(parts: readonly JsonObject[]): string {
  let text: string | undefined
  for (const { content } of parts)
    if (typeof content === 'string') text = text === undefined ? content : `${text} ${content}`
  return text ?? ''
}
