import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'
import { withoutAbsent } from '../canonical/without-absent.ts'
import { parseText } from '../json/json-text.ts'
import { parsedContainer } from './value.ts'

/**
 * Converts messages `{ role, parts }`, as JSON text or as a list, to the form `{ role, content }` of chat APIs: text
 * parts are joined, images and files stay, tool calls are under `tool_calls`, and a tool's response is a message of the
 * role `tool` before the message that contained it. Messages already in that form are unchanged; items that are not
 * objects are dropped.
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
  const answers: JsonObject[] = []
  const toolCalls: Json[] = Array.isArray(message.tool_calls) ? [...message.tool_calls] : []
  const thinking: JsonObject[] = []
  const shown: JsonObject[] = []
  for (const part of message.parts) {
    if (!isJsonObject(part)) continue
    if (part.type === 'tool_call_response') answers.push(toolMessage(part))
    else if (part.type === 'tool_call') toolCalls.push(toolCallOf(part))
    else if (part.type === 'thinking' || part.type === 'reasoning') thinking.push(part)
    else shown.push(part)
  }
  // A message that contains only tool responses has no content of its own.
  const hasOthers = toolCalls.length > 0 || thinking.length > 0 || shown.length > 0
  if (answers.length > 0 && !hasOthers) return answers
  return [
    ...answers,
    withoutAbsent({
      role: message.role,
      content: contentOf(shown),
      name: message.name,
      tool_calls: toolCalls.length > 0 ? toolCalls : undefined,
      thinking: textOf(thinking) || undefined,
      finish_reason: message.finish_reason,
      tool_call_id: message.tool_call_id,
    }),
  ]
}

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
