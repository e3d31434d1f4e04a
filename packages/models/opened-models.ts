import { AsyncLocalStorage } from 'node:async_hooks'
import type { EmbeddingModelV4, LanguageModelV4 } from '@ai-sdk/provider'
import { type Json, parseRoundedJson } from '@spanhouse/model'
import type { OutboundFetch, OutboundRequest } from '@spanhouse/outbound'
import { openProvider, type Provider } from './providers.ts'
import type { ProviderRoute } from './route.ts'
import { untilDone } from './until-done.ts'

/** Cached for the next call; creating one costs as much as the rest of a call. */
const MODELS_MAX = 512

/** What a call says of the request that its package generates. */
export interface Given {
  /** Replaces members of the generated body. */
  body: object | undefined
  /** Whether the response must be a stream. */
  isStreamed: boolean
}

const given = new AsyncLocalStorage<Given>()

/** Runs a model call of which this is so. */
export const withGiven = <Result>(one: Given, call: () => Result): Result => given.run(one, call)

type Kind = 'chat' | 'responses' | 'embedding'

/** The packages' models by route, created when first called. They hold the route's key, in memory only. */
export class OpenedModels {
  readonly #models = new Map<string, Promise<LanguageModelV4 | EmbeddingModelV4>>()
  readonly #fetch: typeof globalThis.fetch

  constructor(fetch: OutboundFetch) {
    const send = async (url: string | URL, request: OutboundRequest = {}) => {
      const { body, isStreamed } = given.getStore() ?? {}
      const response = await fetch(url, { ...request, body: merged(request.body, body) })
      if (!isStreamed || !response.ok || response.body === null) return response
      return new Response(untilDone(await streamIn(response, response.body)), response)
    }
    this.#fetch = send as typeof globalThis.fetch
  }

  chat(route: ProviderRoute): Promise<LanguageModelV4> {
    return this.#open(route, 'chat') as Promise<LanguageModelV4>
  }

  /** OpenAI only. */
  responses(route: ProviderRoute): Promise<LanguageModelV4> {
    return this.#open(route, 'responses') as Promise<LanguageModelV4>
  }

  embedding(route: ProviderRoute): Promise<EmbeddingModelV4> {
    return this.#open(route, 'embedding') as Promise<EmbeddingModelV4>
  }

  #open(route: ProviderRoute, kind: Kind) {
    const { provider, model, key, url, version, extras } = route
    const id = JSON.stringify([kind, provider, model, key, url, version, extras])
    const opened = this.#models.get(id) ?? openProvider(route, this.#fetch).then(one => modelOf(one, kind, model))
    // The least recently used is the first.
    this.#models.delete(id)
    this.#models.set(id, opened)
    if (this.#models.size > MODELS_MAX) this.#models.delete(this.#models.keys().next().value ?? '')
    opened.catch(() => this.#models.delete(id))
    return opened
  }
}

function modelOf(provider: Provider, kind: Kind, model: string): LanguageModelV4 | EmbeddingModelV4 {
  const open = provider[kind]
  if (open === undefined) throw new Error(`the provider has no ${kind}`)
  return open(model)
}

function merged(body: unknown, members: object | undefined): unknown {
  return members === undefined ? body : JSON.stringify({ ...(parseRoundedJson(body as string) as object), ...members })
}

/**
 * The body, if it is a stream, whatever it is called. Throws what is JSON as the `value` of an error: some providers
 * state a failure so, with a good status, and the packages would find a stream without chunks.
 */
async function streamIn({ headers }: Response, body: ReadableStream<Uint8Array>): Promise<ReadableStream<Uint8Array>> {
  if (!headers.get('content-type')?.startsWith('application/json')) return body
  const [peeked, stream] = body.tee()
  const reader = peeked.getReader()
  const { value: start } = await reader.read()
  // Resolves when the other branch is cancelled as well.
  reader.cancel().catch(() => {})
  if (!/^\s*[[{]/.test(new TextDecoder().decode(start))) return stream
  const value = parsed(await new Response(stream).text())
  throw Object.assign(new Error("The provider's response is JSON instead of a stream."), { value })
}

function parsed(text: string): Json | undefined {
  try {
    return parseRoundedJson(text)
  } catch {
    return undefined
  }
}
