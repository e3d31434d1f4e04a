import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'
import { parseText } from '../json/json-text.ts'

/**
 * Messages `{ role, parts }`, as JSON text or as a list, in the form `{ role, content }` that chat APIs use: text
 * parts are joined, tool calls stand under `tool_calls`, and what a tool answered is a message of the role `tool`
 * before the one it came in. Messages in that form already stay as they are; what is no object is left out.
 */
export function normaliseMessages(sent: Json | undefined): JsonObject[] {
  const list = typeof sent === 'string' ? parseText(sent) : sent
  return Array.isArray(list) ? list.filter(isJsonObject).flatMap(normaliseMessage) : []
}

/** Up to and including the last message of the user, and what follows it. */
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
  // A message that is nothing but answers of tools says nothing of its own.
  if (answers.length > 0 && answers.length === parts.length) return answers
  const toolCalls = ofType('tool_call').map(toolCallOf)
  const thinking = textOf(ofType('thinking', 'reasoning'))
  return [
    ...answers,
    withoutAbsent({
      role: message.role,
      content: textOf(ofType('text')),
      tool_calls: toolCalls.length > 0 ? toolCalls : undefined,
      thinking: thinking || undefined,
      finish_reason: message.finish_reason,
    }),
  ]
}

const toolMessage = ({ id, name, result, response }: JsonObject): JsonObject =>
  withoutAbsent({ role: 'tool', content: result ?? response, tool_call_id: id, name })

const toolCallOf = ({ id, name, arguments: args }: JsonObject): JsonObject =>
  withoutAbsent({ id, type: 'function', function: withoutAbsent({ name, arguments: args }) })

const textOf = (parts: readonly JsonObject[]): string =>
  parts.flatMap(({ content }) => (typeof content === 'string' ? [content] : [])).join(' ')

const withoutAbsent = (members: Record<string, Json | undefined>): JsonObject =>
  Object.fromEntries(Object.entries(members).filter(([, member]) => member !== undefined)) as JsonObject
