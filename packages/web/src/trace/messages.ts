import { isExactInteger, parseExact } from '../api/exact-json.ts'
import { isObject, type JsonObject } from '../api/registry/registry.ts'
/** A message of a chat, in whatever form its client sent it. */
export interface Message {
  role: string
  pieces: Piece[]
}

export type Piece =
  | { kind: 'text'; text: string }
  | { kind: 'thought'; text: string }
  | { kind: 'call'; name: string; args: unknown }
  | { kind: 'file'; what: string; source: string }
  | { kind: 'other'; value: unknown }

/** JsonObject that hold the messages of a chat. */
const HOLDERS = ['messages', 'prompt', 'completion', 'input_messages', 'output_messages', 'choices', 'message']

/** The messages in an input or output; undefined if it is not a chat. */
export function messagesIn(value: unknown): Message[] | undefined {
  if (Array.isArray(value)) {
    const messages = value.map(one => messageOf(isObject(one) && isObject(one.message) ? one.message : one))
    return messages.length > 0 && messages.every(one => one !== undefined) ? (messages as Message[]) : undefined
  }
  if (!isObject(value)) return undefined
  const itself = messageOf(value)
  if (itself) return [itself]
  for (const name of HOLDERS) {
    const found = messagesIn(value[name])
    if (found) return found
  }
  return undefined
}

function messageOf(sent: unknown): Message | undefined {
  const value = isObject(sent) && sent.role === undefined ? langChainMessage(sent) : sent
  if (!isObject(value) || typeof value.role !== 'string') return undefined
  const calls = Array.isArray(value.tool_calls) ? value.tool_calls : []
  const called = isObject(value.function_call) ? [...calls, value.function_call] : calls
  // A model that declines says so instead of a content.
  const content = value.content ?? value.parts ?? value.refusal
  const pieces = Array.isArray(value.contents)
    ? value.contents.map(contentOf).filter(isOfContent).flatMap(piecesOf)
    : [...thoughtsOf(value.thinking ?? value.reasoning_content), ...piecesOf(content)]
  return { role: value.role, pieces: [...pieces, ...called.map(callOf)] }
}

/** Of the classes and types of LangChain's messages. */
const ROLES: ReadonlyMap<string, string> = new Map([
  ['SystemMessage', 'system'],
  ['HumanMessage', 'user'],
  ['AIMessage', 'assistant'],
  ['ToolMessage', 'tool'],
  ['system', 'system'],
  ['human', 'user'],
  ['ai', 'assistant'],
  ['tool', 'tool'],
])

/** A message of LangChain, as its packages for JavaScript and for Python write it, whose calls may be in its content too. */
function langChainMessage(sent: JsonObject): JsonObject | undefined {
  const [value, type] =
    isObject(sent.kwargs) && Array.isArray(sent.id) ? [sent.kwargs, sent.id.at(-1)] : [sent, sent.type]
  const role = typeof type === 'string' ? ROLES.get(type.replace(/Chunk$/, '')) : undefined
  if (role === undefined || value.content === undefined) return undefined
  const { content, tool_calls: calls } = value
  const hasCalls = Array.isArray(calls) && calls.length > 0
  return { ...value, role, content: hasCalls && Array.isArray(content) ? content.filter(isOfContent) : content }
}

/** OpenInference wraps the parts of a message, of which its content is only the text. */
const contentOf = (part: unknown): unknown =>
  isObject(part) && isObject(part.message_content) ? part.message_content : part

/** The calls among them are listed apart. */
const isOfContent = (part: unknown): boolean => !isObject(part) || part.type !== 'tool_use'

const thoughtsOf = (text: unknown): Piece[] => (typeof text === 'string' && text ? [{ kind: 'thought', text }] : [])

function piecesOf(content: unknown): Piece[] {
  if (content === undefined || content === null || content === '') return []
  if (typeof content === 'string') return partsIn(content)?.map(pieceOf) ?? [{ kind: 'text', text: content }]
  return Array.isArray(content) ? content.map(pieceOf) : [pieceOf(content)]
}

/** The parts of a content that was sent as a text of JSON. */
function partsIn(text: string): unknown[] | undefined {
  if (!/^\s*\[\s*\{/.test(text)) return undefined
  const parts = parsed(text)
  return Array.isArray(parts) && parts.every(part => isObject(part) && PARTS.has(part.type)) ? parts : undefined
}

const PARTS: ReadonlySet<unknown> = new Set([
  'text',
  'input_text',
  'output_text',
  'thinking',
  'image_url',
  'image',
  'input_image',
  'input_audio',
  'document',
  'file',
  'input_file',
  'tool_use',
  'tool_result',
])

function pieceOf(value: unknown): Piece {
  if (typeof value === 'string') return { kind: 'text', text: value }
  if (!isObject(value)) return { kind: 'other', value }
  const thought = value.type === 'reasoning' ? (value.text ?? value.content) : value.thinking
  if (typeof thought === 'string') return { kind: 'thought', text: thought }
  if (typeof value.text === 'string') return { kind: 'text', text: value.text }
  if (typeof value.content === 'string' && value.type === 'text') return { kind: 'text', text: value.content }
  const source = sourceOf(value)
  if (source !== undefined) return { kind: 'file', what: String(value.type ?? 'file'), source }
  if (['tool_use', 'tool_call', 'tool-call', 'function_call'].includes(String(value.type))) return callOf(value)
  return { kind: 'other', value }
}

function sourceOf(value: JsonObject): string | undefined {
  if (value.type === 'blob' && typeof value.content === 'string')
    return `data:${String(value.mime_type ?? '')};base64,${value.content}`
  for (const name of ['image_url', 'url', 'data', 'source', 'image', 'file']) {
    const inner = value[name]
    if (typeof inner === 'string') return inner
    if (isObject(inner)) {
      const found = inner.url ?? inner.data ?? inner.file_data ?? (isObject(inner.image) ? inner.image.url : undefined)
      if (typeof found === 'string') return found
    }
  }
  return undefined
}

function callOf(value: unknown): Piece {
  if (!isObject(value)) return { kind: 'other', value }
  const called = isObject(value.function) ? value.function : value
  const args = called.arguments ?? called.input ?? called.args
  return {
    kind: 'call',
    name: String(called.name ?? called.toolName ?? ''),
    args: typeof args === 'string' ? parsed(args) : args,
  }
}

/** The value of a JSON text; any other text as it is. */
export function parsed(text: string): unknown {
  try {
    return parseExact(text)
  } catch {
    return text
  }
}

/** The value of a part of a span; clients often send a message or a list of results as a text of JSON. */
export function valueIn(text: string): unknown {
  const value = parsed(text)
  if (typeof value !== 'string' || !/^\s*[[{]/.test(value)) return value
  const inner = parsed(value)
  return typeof inner === 'object' && inner !== null ? inner : value
}

/**
 * Of the input of a chat what is new since the model spoke last: earlier turns repeat all before them. The last message
 * is new in any case, also the beginning of an answer that the model is to go on with.
 */
export function newMessages(messages: readonly Message[]): readonly Message[] {
  const last = messages.slice(0, -1).findLastIndex(({ role }) => role === 'assistant' || role === 'model')
  return messages.slice(last + 1)
}

/** Bytes in a text: their size is all that is shown of them. */
export interface Bytes {
  type: string
  bytes: number
  /** The text ends amid them: there may be more in what follows it. */
  isOpen?: true
}

/** It begins only where a word does: otherwise a text of long words would be tried from each of its characters. */
const BYTES = /(?:data:([\w.+/-]{1,100});base64,)?(?<![A-Za-z0-9+/_-])([A-Za-z0-9+/_-]{1000,}={0,2})/g

/** A part of a long text, which may begin or end amid bytes: what is read, and the bytes between. */
export function splitBytes(text: string): (string | Bytes)[] {
  const parts: (string | Bytes)[] = []
  let from = 0
  for (const { 0: found, 1: type, 2: data = '', index } of text.matchAll(BYTES)) {
    if (type === undefined && !isMixed(data)) continue
    const bytes = { type: type ?? 'base64', bytes: bytesOf(data) }
    parts.push(text.slice(from, index))
    from = index + found.length
    parts.push(from === text.length ? { ...bytes, isOpen: true } : bytes)
  }
  return [...parts, text.slice(from)].filter(part => part !== '')
}

/** What follows an open end: the bytes with those at the beginning of a text, and the rest of it. */
export function continued(open: Bytes, text: string): [Bytes, rest: string] {
  const [data = ''] = /^[A-Za-z0-9+/_-]*={0,2}/.exec(text) ?? []
  const bytes = { type: open.type, bytes: open.bytes + bytesOf(data) }
  return [data.length === text.length ? { ...bytes, isOpen: true } : bytes, text.slice(data.length)]
}

/** Four characters are three bytes. */
const bytesOf = (data: string): number => Math.floor(data.length * 0.75)

/** Bytes have letters of all kinds, soon; a long name, a sequence of genes and a text of one letter have not. */
function isMixed(data: string): boolean {
  const start = data.slice(0, 512)
  return /[a-z]/.test(start) && /[A-Z]/.test(start) && /\d/.test(start)
}

/** A text of bytes. Undefined for other texts. */
export function bytesIn(text: string): Bytes | undefined {
  const [, type, data] = /^data:([^;,]{0,100})(?:;[^,]{0,100})?,([A-Za-z0-9+/=_-]*)$/.exec(text.slice(0, 200))
    ? splitDataUrl(text)
    : []
  if (type !== undefined && data !== undefined) return { type: type || 'data', bytes: bytesOf(data) }
  if (text.length < 512 || !/^[A-Za-z0-9+/_-]{512}/.test(text) || !isMixed(text)) return undefined
  return /^[A-Za-z0-9+/_=\s-]*$/.test(text) ? { type: 'base64', bytes: bytesOf(text) } : undefined
}

function splitDataUrl(text: string): [string, string, string] {
  const comma = text.indexOf(',')
  return [text, text.slice(5, comma).split(';')[0] ?? '', text.slice(comma + 1)]
}

/** The text of a value that is hardly more than one. */
export function plainText(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (isExactInteger(value)) return JSON.stringify(value)
  if (value === null || Array.isArray(value)) return undefined
  if (typeof value !== 'object') return String(value)
  const members = Object.values(value)
  return members.length === 1 && typeof members[0] === 'string' ? members[0] : undefined
}
