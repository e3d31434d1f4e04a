import type { JSONSchema7, LanguageModelV4CallOptions, LanguageModelV4ToolChoice } from '@ai-sdk/provider'
import type { ChatMessage, ChatOptions, ChatRequest, ChatTool, ToolChoice } from './chat-request.ts'
import { fileMembers } from './file-members.ts'

type CallOptions = Omit<LanguageModelV4CallOptions, 'prompt'>

/** Options that the packages translate, under the packages' names. */
const TRANSLATED = {
  temperature: 'temperature',
  max_tokens: 'maxOutputTokens',
  top_p: 'topP',
  frequency_penalty: 'frequencyPenalty',
  presence_penalty: 'presencePenalty',
  reasoning_effort: 'reasoning',
  seed: 'seed',
} as const satisfies Record<string, keyof CallOptions>

/** The efforts that the packages know. They make an arbitrary one of any other. */
const EFFORTS = new Set<unknown>(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'])

const isTranslated = (name: string, value: unknown): boolean =>
  name in TRANSLATED && (name !== 'reasoning_effort' || EFFORTS.has(value))

/** The options that every package supports, translated for its provider; only those set. */
export function callOptions({
  options = {},
  tools = [],
  toolChoice,
  responseFormat,
  signal,
}: ChatRequest): CallOptions {
  const translated = Object.entries(TRANSLATED).filter(
    ([name]) => options[name] != null && isTranslated(name, options[name]),
  )
  const functions = tools.flatMap(toTool)
  return {
    ...Object.fromEntries(translated.map(([name, theirs]) => [theirs, options[name]])),
    ...(options.stop != null && { stopSequences: [options.stop].flat() as string[] }),
    ...(functions.length > 0 && { tools: functions, toolChoice: toChoice(toolChoice) }),
    ...(responseFormat && { responseFormat: toFormat(responseFormat) }),
    abortSignal: signal,
    // Chunks of a stream as the provider sent them: with refusals and failures that packages leave out.
    includeRawChunks: true,
  }
}

function toTool({ function: defined }: ChatTool) {
  if (defined === undefined) return []
  const { name, description, parameters = { type: 'object', properties: {} }, strict } = defined
  return [{ type: 'function' as const, name, description, strict, inputSchema: parameters as JSONSchema7 }]
}

function toChoice(choice: ToolChoice | undefined): LanguageModelV4ToolChoice | undefined {
  if (choice === undefined) return undefined
  if (typeof choice === 'string') return { type: choice }
  return choice.function ? { type: 'tool', toolName: choice.function.name } : { type: 'auto' }
}

function toFormat({ type, json_schema }: NonNullable<ChatRequest['responseFormat']>): CallOptions['responseFormat'] {
  if (type !== 'json_schema' && type !== 'json_object') return { type: 'text' }
  const { schema, name, description } = json_schema ?? {}
  return { type: 'json', schema: schema as JSONSchema7 | undefined, name, description }
}

/**
 * Refuse a message with the reasoning of an earlier answer, and give none under this name themselves. Others, such as
 * DeepSeek, demand it.
 */
const WITHOUT_REASONING = new Set(['openai', 'azure', 'groq'])

/**
 * The part of the body that is sent unchanged to OpenAI-compatible providers: the messages, the tools, and all options
 * except those whose names and limits vary between models, which the packages handle.
 */
export function openAiBody(
  { messages, options = {}, tools = [], toolChoice, responseFormat }: ChatRequest,
  provider: string,
): object {
  const accepted = WITHOUT_REASONING.has(provider) ? messages.map(withoutReasoning) : messages
  return {
    ...untranslated(options),
    messages: accepted.map(withFilename),
    ...(tools.length > 0 && { tools }),
    ...(tools.length > 0 && toolChoice !== undefined && { tool_choice: toolChoice }),
    ...(responseFormat && responseFormat.type !== 'text' && { response_format: responseFormat }),
  }
}

/** Not options of a model: determined by the call itself, or the address and credentials of the provider. */
const RESERVED = new Set([
  'model',
  'messages',
  'stream',
  'stream_options',
  'n',
  'api_key',
  'api_base',
  'api_version',
  'base_url',
])

/** Options that no package translates, without nulls. */
export const untranslated = (options: ChatOptions): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(options).filter(
      ([name, value]) => value != null && !isTranslated(name, value) && !RESERVED.has(name),
    ),
  )

const withoutReasoning = ({ reasoning_content: _, ...message }: ChatMessage): ChatMessage => message

function withFilename(message: ChatMessage) {
  if (!Array.isArray(message.content)) return message
  const content = message.content.map(part =>
    part?.type === 'file' ? { ...part, file: fileMembers(part.file) } : part,
  )
  return { ...message, content }
}
