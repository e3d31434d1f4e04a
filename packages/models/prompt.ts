import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCallPart,
} from '@ai-sdk/provider'
import { parseRoundedJson } from '@spanhouse/model'
import type { ChatMessage, ContentPart, ToolCall } from './chat-request.ts'
import { fileMembers } from './file-members.ts'
import { ModelError } from './model-error.ts'

/**
 * Messages for providers with an interface other than OpenAI's. These refuse texts of no characters, which OpenAI's
 * takes: empty ones are left out, and so are messages of the system and the assistant without anything else. Throws
 * ModelError that names what they do not support.
 */
export function toPrompt(messages: readonly ChatMessage[], provider: string): LanguageModelV4Prompt {
  messages.forEach(checkForm)
  const calls = messages.flatMap(message => message.tool_calls ?? [])
  const names = new Map(calls.map(call => [call.id, call.function.name]))
  return messages
    .map((message, index) => toMessage(message, { path: `messages[${index}]`, provider, names }))
    .filter(({ role, content }) => role === 'user' || content.length > 0)
}

/** Messages of a caller's history come unchecked: of them only the roles are known to be texts. */
function checkForm({ content = '', tool_calls: calls }: ChatMessage, index: number): void {
  const path = `messages[${index}]`
  if (Array.isArray(content)) {
    const wrong = content.findIndex(part => typeof part?.type !== 'string')
    if (wrong >= 0) throw invalid(`${path}.content[${wrong}] must be an object with a type`)
  } else if (content !== null && typeof content !== 'string')
    throw invalid(`${path}.content must be a string or a list of parts`)
  const areCalls = Array.isArray(calls) && calls.every(call => typeof call?.function?.name === 'string')
  if (calls != null && !areCalls) throw invalid(`${path}.tool_calls must be a list of calls of functions`)
}

interface Place {
  /** The path of the value in the request, for errors. */
  path: string
  provider: string
  /** Names of the called tools by call id. */
  names: ReadonlyMap<string, string>
}

function toMessage(message: ChatMessage, place: Place): LanguageModelV4Message {
  const convert = Object.hasOwn(MESSAGES, message.role) ? MESSAGES[message.role] : undefined
  if (convert === undefined) throw unusable(`${place.path}.role`, message.role, place)
  return convert(message, place)
}

const MESSAGES: Readonly<Record<string, (message: ChatMessage, place: Place) => LanguageModelV4Message>> = {
  system: (message, place) => ({ role: 'system', content: textOf(message, place) }),
  developer: (message, place) => ({ role: 'system', content: textOf(message, place) }),
  user: (message, place) => ({ role: 'user', content: partsOf(message, place) }),
  assistant: (message, place) => ({
    role: 'assistant',
    content: [...partsOf(message, place), ...(message.tool_calls ?? []).map((call, at) => toToolCall(call, at, place))],
  }),
  tool: (message, place) => {
    const toolCallId = message.tool_call_id ?? ''
    const toolName = message.name ?? place.names.get(toolCallId) ?? ''
    const output = { type: 'text' as const, value: textOf(message, place) }
    return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName, output }] }
  },
}

function toToolCall({ id, function: called }: ToolCall, at: number, { path }: Place): LanguageModelV4ToolCallPart {
  try {
    return {
      type: 'tool-call',
      toolCallId: id,
      toolName: called.name,
      input: parseRoundedJson(called.arguments || '{}'),
    }
  } catch {
    throw invalid(`${path}.tool_calls[${at}].function.arguments must be JSON`)
  }
}

type Part = LanguageModelV4TextPart | LanguageModelV4FilePart

const partsOf = (message: ChatMessage, place: Place): Part[] =>
  saidIn(message, place).filter(part => part.type !== 'text' || part.text !== '')

function saidIn({ content, refusal }: ChatMessage, place: Place): Part[] {
  const said = content ?? refusal ?? ''
  const parts = typeof said === 'string' ? [{ type: 'text', text: said }] : said
  return parts.map((part, at) => {
    const inner = { ...place, path: `${place.path}.content[${at}]` }
    const convert = Object.hasOwn(PARTS, part.type) ? PARTS[part.type] : undefined
    if (convert === undefined) throw unusable(`${inner.path}.type`, part.type, place)
    return convert(part, inner)
  })
}

function textOf(message: ChatMessage, place: Place): string {
  const texts = saidIn(message, place).map((part, at) => {
    if (part.type === 'text') return part.text
    throw unusable(`${place.path}.content[${at}].type`, 'file', place)
  })
  return texts.filter(text => text !== '').join('\n')
}

type Members = Readonly<Record<string, string | undefined>>

const PARTS: Readonly<Record<string, (part: ContentPart, place: Place) => Part>> = {
  text: ({ text }, { path }) => {
    if (typeof text === 'object' && text !== null) throw invalid(`${path}.text must be a string`)
    return { type: 'text', text: String(text ?? '') }
  },
  refusal: part => ({ type: 'text', text: String(part.refusal ?? '') }),
  image_url: (part, place) => {
    const image = (part.image_url ?? {}) as Members | string
    const { url, detail } = typeof image === 'string' ? { url: image } : image
    const providerOptions = detail ? { [place.provider]: { imageDetail: detail } } : undefined
    return { ...fileAt(url, 'image/*', `${place.path}.image_url.url`), providerOptions }
  },
  input_audio: (part, place) => {
    const { data = '', format = 'wav' } = (part.input_audio ?? {}) as Members
    if (data === '') throw invalid(`${place.path}.input_audio.data is missing`)
    return { type: 'file', mediaType: `audio/${format}`, data: { type: 'data', data } }
  },
  file: (part, place) => {
    const { filename, ...file } = fileMembers(part.file)
    const mediaType = file.mime_type ?? file.format ?? 'application/pdf'
    const reference = { [place.provider]: file.file_id ?? '' }
    if (file.file_id) return { type: 'file', filename, mediaType, data: { type: 'reference', reference } }
    return { ...fileAt(file.file_data ?? file.file_url, mediaType, `${place.path}.file.file_data`), filename }
  },
}

const DATA_URI = /^data:([^;,]*)(?:;[^,]*)?,(.*)$/s

/** A file given as an address or containing one. */
function fileAt(url: string | undefined, mediaType: string, path: string): LanguageModelV4FilePart {
  const [, type, data] = DATA_URI.exec(url ?? '') ?? []
  if (data !== undefined) return { type: 'file', mediaType: type || mediaType, data: { type: 'data', data } }
  if (url === undefined || !URL.canParse(url)) throw invalid(`${path} must be an https address or a data URI`)
  return { type: 'file', mediaType, data: { type: 'url', url: new URL(url) } }
}

const invalid = (message: string): ModelError => new ModelError(message, { category: 'other', status: 400 })

const unusable = (path: string, value: string, { provider }: Place): ModelError =>
  invalid(`${path} is '${value.slice(0, 100)}', which cannot be sent to ${provider}`)
