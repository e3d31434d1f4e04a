import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'
import { withoutAbsent } from '../../canonical/without-absent.ts'
import { normaliseMessages } from './gen-ai-messages.ts'

/**
 * Converts contents `{ role, parts }` of Gemini's API, whose parts are named by their only member, to the form of chat
 * APIs. Members may be spelled with capitals, as in JavaScript, or with underscores, as in Python.
 */
export const messagesOfContents = (contents: Json | undefined): JsonObject[] =>
  Array.isArray(contents) ? normaliseMessages(contents.filter(isJsonObject).map(withKinds)) : []

function withKinds(content: JsonObject): JsonObject {
  const parts = Array.isArray(content.parts) ? content.parts.filter(isJsonObject) : []
  return { role: content.role === 'model' ? 'assistant' : (content.role ?? 'user'), parts: parts.map(partOf) }
}

function partOf(part: JsonObject): JsonObject {
  const call = memberOf(part, 'functionCall')
  if (isJsonObject(call))
    return withoutAbsent({ type: 'tool_call', id: call.id, name: call.name, arguments: call.args })
  const answer = memberOf(part, 'functionResponse')
  if (isJsonObject(answer))
    return withoutAbsent({ type: 'tool_call_response', id: answer.id, name: answer.name, result: answer.response })
  if (typeof part.text !== 'string') return part
  return { type: part.thought === true ? 'reasoning' : 'text', content: part.text }
}

/** The member of this name, in either spelling. */
export const memberOf = (object: JsonObject, name: string): Json | undefined =>
  object[name] ?? object[name.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)] ?? undefined
