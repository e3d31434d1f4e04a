import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import { present } from '@spanhouse/model'
import type { OutboundFetch } from '@spanhouse/outbound'
import { callOptions, openAiBody, untranslated } from './call-options.ts'
import type { ChatEvent, ChatReply } from './chat-reply.ts'
import type { ChatRequest, ChatTool } from './chat-request.ts'
import { ReplyCollector } from './collect-reply.ts'
import { withDownloads } from './downloads.ts'
import { ModelError } from './model-error.ts'
import { type OpenedModels, withGiven } from './opened-models.ts'
import { toPrompt } from './prompt.ts'
import { isOpenAiShaped } from './providers.ts'
import type { ProviderRoute } from './route.ts'
import { toModelError } from './to-model-error.ts'

/** What calls need. */
export interface Calling {
  models: OpenedModels
  fetch: OutboundFetch
}

/** Calls a model once; see `Models.callChat`. */
export async function chat(
  route: ProviderRoute,
  asked: ChatRequest,
  { onEvent, ...calling }: Calling & { onEvent?: (event: ChatEvent) => void },
): Promise<ChatReply> {
  const request = { ...asked, options: { ...route.options, ...present(asked.options ?? {}) } }
  const collector = new ReplyCollector(route.model, onEvent)
  try {
    const { model, options, body } = await prepare(route, request, calling)
    const given = { body, isStreamed: onEvent !== undefined }
    if (onEvent === undefined) collector.take(await withGiven(given, () => model.doGenerate(options)))
    else {
      const { stream } = await withGiven(given, () => model.doStream(options))
      for await (const part of stream) collector.takePart(part)
      collector.endStream()
    }
    return collector.reply
  } catch (error) {
    asked.signal?.throwIfAborted()
    throw toModelError(error, { key: route.key, isPartial: collector.isPartial })
  }
}

interface Prepared {
  model: LanguageModelV4
  options: LanguageModelV4CallOptions
  /** Sent unchanged, replacing what the package generates from the options. */
  body?: object
}

/** Tools of OpenAI's responses interface; its chat completions lack them. */
const RESPONSES_TOOLS = new Set(['web_search', 'web_search_preview', 'code_execution', 'code_interpreter', 'mcp'])

async function prepare(route: ProviderRoute, request: ChatRequest, { models, fetch }: Calling): Promise<Prepared> {
  const { provider } = route
  if (provider === 'openai' && request.tools?.some(({ type }) => RESPONSES_TOOLS.has(type))) {
    const model = await models.responses(route)
    const options = await translated(request, { provider, model, fetch })
    return { model, options, body: { tools: request.tools.map(toResponsesTool) } }
  }
  const model = await models.chat(route)
  if (!isOpenAiShaped(provider)) return { model, options: await translated(request, { provider, model, fetch }) }
  const options = { prompt: PLACEHOLDER, ...callOptions(request) }
  return { model, options, body: openAiBody(request, provider) }
}

/** Placeholders for messages that are put into the body. */
const PLACEHOLDER: LanguageModelV4CallOptions['prompt'] = [{ role: 'user', content: [{ type: 'text', text: '' }] }]

/** The request for a package whose provider has its own interface. */
async function translated(
  request: ChatRequest,
  { provider, model, fetch }: { provider: string; model: LanguageModelV4; fetch: OutboundFetch },
): Promise<LanguageModelV4CallOptions> {
  const name = OPTION_NAMES[provider] ?? provider
  const { stop: _, parallel_tool_calls, reasoning_effort: effort, ...others } = untranslated(request.options ?? {})
  if (effort !== undefined) throw unknownEffort(effort, provider)
  const special = SPECIAL_OPTIONS[provider]?.({
    parallel_tool_calls,
    strict: request.responseFormat?.json_schema?.strict,
  })
  const { signal } = request
  const prompt = await withDownloads(toPrompt(request.messages, name), model, url => fetch(url, { signal }))
  const providerOptions = { [name]: { ...others, ...special } } as LanguageModelV4CallOptions['providerOptions']
  return { prompt, ...callOptions(request), providerOptions }
}

interface SpecialOptions {
  parallel_tool_calls?: unknown
  strict?: boolean
}

const parallelAndStrict = ({ parallel_tool_calls: parallelToolCalls, strict }: SpecialOptions): object =>
  present({ parallelToolCalls, strictJsonSchema: strict })

/** Options that only some packages take, under their names. Amazon's would send it what it does not know. */
const SPECIAL_OPTIONS: Readonly<Record<string, (options: SpecialOptions) => object>> = {
  openai: parallelAndStrict,
  mistral: parallelAndStrict,
  anthropic: ({ parallel_tool_calls: isParallel }) =>
    isParallel === undefined ? {} : { disableParallelToolUse: !isParallel },
}

const unknownEffort = (effort: unknown, provider: string): ModelError =>
  new ModelError(`reasoning_effort is '${effort}', which cannot be sent to ${provider}`, {
    category: 'other',
    status: 400,
  })

/** Packages whose own name differs from the credential's kind. */
const OPTION_NAMES: Readonly<Record<string, string>> = { gemini: 'google', vertex_ai: 'vertex' }

/** Functions are one level higher in the responses interface. */
const toResponsesTool = ({ type, function: defined, ...tool }: ChatTool): object => ({ type, ...tool, ...defined })
