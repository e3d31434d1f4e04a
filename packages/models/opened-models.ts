import { AsyncLocalStorage } from 'node:async_hooks'
import type { EmbeddingModelV4, LanguageModelV4 } from '@ai-sdk/provider'
import { parseRoundedJson } from '@spanhouse/model'
import type { OutboundFetch, OutboundRequest } from '@spanhouse/outbound'
import { openProvider, type Provider } from './providers.ts'
import type { ProviderRoute } from './route.ts'

/** Kept for the next call; making one costs as much as the rest of a call. */
const MODELS_MAX = 512

/** What a call puts into the body that the package makes for it. */
const given = new AsyncLocalStorage<object | undefined>()

/** Runs a call of a model so that the members of `body` replace those of the body that the package makes. */
export const withBody = <Result>(body: object | undefined, call: () => Result): Result => given.run(body, call)

type Kind = 'chat' | 'responses' | 'embedding'

/** The packages' models by route, made when they are first called. They hold the route's key, in memory only. */
export class OpenedModels {
  readonly #models = new Map<string, Promise<LanguageModelV4 | EmbeddingModelV4>>()
  readonly #fetch: typeof globalThis.fetch

  constructor(fetch: OutboundFetch) {
    const send = (url: string | URL, request: OutboundRequest = {}) =>
      fetch(url, { ...request, body: merged(request.body) })
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
  if (open === undefined) throw new Error(`a provider without ${kind}`)
  return open(model)
}

function merged(body: unknown): unknown {
  const members = given.getStore()
  return members === undefined ? body : JSON.stringify({ ...(parseRoundedJson(body as string) as object), ...members })
}
