import type { LanguageModelV4, LanguageModelV4CallOptions } from '@ai-sdk/provider'
import type { OutboundFetch } from '@spanhouse/outbound'
import { callOptions, openAiBody, untranslated } from './call-options.ts'
import type { ChatEvent, ChatReply } from './chat-reply.ts'
import type { ChatRequest, ChatTool } from './chat-request.ts'
import { ReplyCollector } from './collect-reply.ts'
import { withDownloads } from './downloads.ts'
import { toPrompt } from './prompt.ts'
import { isOpenAiShaped, openProvider } from './providers.ts'
import type { ProviderRoute } from './route.ts'
import { toModelError } from './to-model-error.ts'

/** Calls a model once; see `Models.callChat`. */
export async function chat(
  route: ProviderRoute,
  asked: ChatRequest,
  { fetch, onEvent }: { fetch: OutboundFetch; onEvent?: (event: ChatEvent) => void },
): Promise<ChatReply> {
  const request = { ...asked, options: { ...route.options, ...set(asked.options) } }
  const collector = new ReplyCollector(route.model, onEvent)
  try {
    const { model, options } = await prepare(route, request, fetch)
    if (onEvent === undefined) collector.take(await model.doGenerate(options))
    else for await (const part of (await model.doStream(options)).stream) collector.takePart(part)
    return collector.reply
  } catch (error) {
    asked.signal?.throwIfAborted()
    throw toModelError(error, { key: route.key, isPartial: collector.isPartial })
  }
}

const set = (options: ChatRequest['options'] = {}): object =>
  Object.fromEntries(Object.entries(options).filter(([, value]) => value != null))

interface Prepared {
  model: LanguageModelV4
  options: LanguageModelV4CallOptions
}

/** Tools of OpenAI's responses; its chat completions do not have them. */
const RESPONSES_TOOLS = new Set(['web_search', 'web_search_preview', 'code_execution', 'code_interpreter', 'mcp'])

async function prepare(route: ProviderRoute, request: ChatRequest, fetch: OutboundFetch): Promise<Prepared> {
  if (route.provider === 'openai' && request.tools?.some(({ type }) => RESPONSES_TOOLS.has(type))) {
    const body = { tools: request.tools.map(toResponsesTool) }
    const { responses } = await openProvider(route, merging(fetch, body))
    if (responses) return await translated(responses(route.model), { route, request, fetch })
  }
  if (isOpenAiShaped(route.provider)) {
    const provider = await openProvider(route, merging(fetch, openAiBody(request)))
    const options = { prompt: PLACEHOLDER, ...callOptions(request), includeRawChunks: true }
    return { model: provider.chat(route.model), options }
  }
  const provider = await openProvider(route, fetch as typeof globalThis.fetch)
  return await translated(provider.chat(route.model), { route, request, fetch })
}

/** Messages that stand for those that are put into the body. */
const PLACEHOLDER: LanguageModelV4CallOptions['prompt'] = [{ role: 'user', content: [{ type: 'text', text: '' }] }]

/** Sends the body as the package made it, with what the caller gave in the provider's own shape. */
function merging(fetch: OutboundFetch, given: object): typeof globalThis.fetch {
  const send = (url: string | URL, { body, ...init }: RequestInit = {}) => {
    const merged = JSON.stringify({ ...(JSON.parse(body as string) as object), ...given })
    return fetch(url, { ...(init as object), body: merged })
  }
  return send as typeof globalThis.fetch
}

async function translated(
  model: LanguageModelV4,
  { route, request, fetch }: { route: ProviderRoute; request: ChatRequest; fetch: OutboundFetch },
): Promise<Prepared> {
  const name = OPTION_NAMES[route.provider] ?? route.provider
  const { parallel_tool_calls: isParallel, ...others } = untranslated(request.options ?? {})
  const parallel =
    isParallel === undefined ? {} : { parallelToolCalls: isParallel, disableParallelToolUse: !isParallel }
  const prompt = await withDownloads(toPrompt(request.messages, name), model, url =>
    fetch(url, { signal: request.signal }),
  )
  const providerOptions = { [name]: { ...others, ...parallel } } as LanguageModelV4CallOptions['providerOptions']
  return { model, options: { prompt, ...callOptions(request), providerOptions } }
}

/** Where a package calls itself otherwise than the credential's kind. */
const OPTION_NAMES: Readonly<Record<string, string>> = { gemini: 'google', vertex_ai: 'vertex' }

/** Functions stand one level higher in the responses' interface. */
const toResponsesTool = ({ type, function: defined, ...tool }: ChatTool): object => ({ type, ...tool, ...defined })
