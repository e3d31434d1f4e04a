import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'
import { toolArguments } from './tool-arguments.ts'

/*
 * Conversion between messages of user interfaces (Vercel's AI SDK: `{id, role, parts}`) and of models (OpenAI's chat
 * messages). Only the former have `parts`.
 */

/** The text of a message or an output. */
export function contentText(value: Json): string {
  if (typeof value === 'string') return value
  if (isJsonObject(value) && value.content !== undefined) return contentText(value.content)
  if (Array.isArray(value) && value.every(isTextPart)) return value.map(part => (part as JsonObject).text).join('')
  return value === null ? '' : JSON.stringify(value)
}

const isTextPart = (part: Json): boolean => isJsonObject(part) && part.type === 'text' && typeof part.text === 'string'

/** Converts messages of a user interface to those of a model; other messages are returned unchanged. */
export const toModelMessages = (messages: readonly Json[]): Json[] =>
  messages.flatMap(message =>
    isJsonObject(message) && Array.isArray(message.parts) ? modelMessages(message, message.parts) : [message],
  )

function modelMessages({ role = 'user' }: JsonObject, parts: readonly Json[]): JsonObject[] {
  const messages = stepsOf(parts.filter(isJsonObject)).flatMap(step => stepMessages(role as Json, step))
  return messages.length > 0 ? messages : [{ role: role as Json, content: '' }]
}

/**
 * A message of a user interface holds all that a model said and called until it was done: what it said with the result
 * of a call is a message behind that result.
 */
function stepsOf(parts: readonly JsonObject[]): JsonObject[][] {
  const steps: JsonObject[][] = [[]]
  let hasResult = false
  for (const part of parts) {
    const isCall = isToolPart(part)
    if (part.type === 'step-start' || (hasResult && !isCall)) {
      steps.push([])
      hasResult = false
    }
    steps.at(-1)?.push(part)
    hasResult ||= isCall && resultOf(part) !== undefined
  }
  return steps
}

function stepMessages(role: Json, parts: readonly JsonObject[]): JsonObject[] {
  const content = parts.map(modelPart).filter(part => part !== undefined)
  const calls = parts.filter(isToolPart)
  if (content.length === 0 && calls.length === 0) return []
  const message: JsonObject = { role }
  if (content.length > 0) message.content = content.every(isTextPart) ? contentText(content) : content
  if (calls.length > 0) message.tool_calls = calls.map(toolCall)
  return [message, ...calls.flatMap(toolResults)]
}

function modelPart(part: JsonObject): JsonObject | undefined {
  const { type, text, url, mediaType, filename } = part
  if (type === 'text' && typeof text === 'string') return { type, text }
  if (type !== 'file' || typeof url !== 'string') return undefined
  if (typeof mediaType === 'string' && mediaType.startsWith('image/')) return { type: 'image_url', image_url: { url } }
  const file: JsonObject = url.startsWith('data:') ? { file_data: url } : { file_url: url }
  if (typeof filename === 'string') file.file_name = filename
  if (typeof mediaType === 'string') file.mime_type = mediaType
  return { type: 'file', file }
}

const isToolPart = ({ type, toolCallId }: JsonObject): boolean =>
  typeof type === 'string' && (type.startsWith('tool-') || type === 'dynamic-tool') && typeof toolCallId === 'string'

const toolNameOf = ({ type, toolName }: JsonObject): Json =>
  type === 'dynamic-tool' ? (toolName ?? '') : String(type).slice('tool-'.length)

const toolCall = (part: JsonObject): JsonObject => ({
  id: part.toolCallId as Json,
  type: 'function',
  function: { name: toolNameOf(part), arguments: JSON.stringify(part.input ?? {}) },
})

function toolResults(part: JsonObject): JsonObject[] {
  const result = resultOf(part)
  return result === undefined
    ? []
    : [{ role: 'tool', tool_call_id: part.toolCallId as Json, content: contentText(result) }]
}

/** Undefined while there is none. A tool may return null, or nothing; JSON has no member for that. */
function resultOf({ state, output, errorText }: JsonObject): Json | undefined {
  if (state === 'output-denied') return 'The call was denied.'
  return output ?? errorText ?? (output === null || state === 'output-available' ? null : undefined)
}

/** Converts messages of a model to those of a user interface: tool results become part of the message with the call. */
export function toUiMessages(messages: readonly Json[], idPrefix: string): JsonObject[] {
  const results = new Map(
    messages
      .filter(isJsonObject)
      .flatMap(one => (one.role === 'tool' ? [[one.tool_call_id, one.content] as const] : [])),
  )
  return messages.filter(isJsonObject).flatMap(({ role, content, tool_calls }, at) => {
    if (role === 'tool') return []
    const calls = Array.isArray(tool_calls) ? tool_calls.filter(isJsonObject) : []
    const parts = [...uiParts(content), ...calls.map(call => uiToolPart(call, results))]
    return [{ id: `${idPrefix}-${at}`, role: role ?? 'assistant', parts }]
  })
}

function uiParts(content: Json | undefined): JsonObject[] {
  if (content === undefined || content === null) return []
  if (!Array.isArray(content)) return [{ type: 'text', text: contentText(content) }]
  return content.filter(isJsonObject).map(part => {
    const image = isJsonObject(part.image_url) ? part.image_url.url : undefined
    return image === undefined ? part : { type: 'file', mediaType: 'image/*', url: image }
  })
}

function uiToolPart(call: JsonObject, results: ReadonlyMap<Json | undefined, Json | undefined>): JsonObject {
  const called = isJsonObject(call.function) ? call.function : {}
  const written = called.arguments ?? '{}'
  const output = results.get(call.id)
  return {
    type: `tool-${contentText(called.name ?? '')}`,
    toolCallId: call.id ?? '',
    input: typeof written === 'string' ? toolArguments(written) : written,
    ...(output === undefined ? { state: 'input-available' } : { state: 'output-available', output }),
  }
}
