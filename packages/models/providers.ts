import { createPrivateKey } from 'node:crypto'
import type { EmbeddingModelV4, LanguageModelV4 } from '@ai-sdk/provider'
import { type JsonObject, parseRoundedJson } from '@spanhouse/model'
import { ModelError } from './model-error.ts'
import { PROVIDER_APIS } from './provider-apis.ts'
import { type ProviderRoute, textIn, VERTEX_CREDENTIALS, VERTEX_LOCATION, VERTEX_PROJECT } from './route.ts'

/** A provider's models, by the provider's names. */
export interface Provider {
  chat(model: string): LanguageModelV4
  embedding(model: string): EmbeddingModelV4
  /** OpenAI's responses interface, for tools that only it has. */
  responses?(model: string): LanguageModelV4
}

interface Settings {
  apiKey: string
  /** Always given: otherwise the packages would read an address from the environment. */
  baseURL: string
  fetch: typeof fetch
}

/** Opens the provider of a route; the package behind it is loaded on first use. */
export async function openProvider(route: ProviderRoute, fetch: typeof globalThis.fetch): Promise<Provider> {
  const { provider, key } = route
  const baseURL = route.url ?? ADDRESSES[provider] ?? PROVIDER_APIS[provider]?.url
  if (baseURL === undefined && !REGIONAL.has(provider)) {
    throw unusable(`provider.url is missing from the connection of kind '${provider}'`)
  }
  if (!HEADER_VALUE.test(key)) throw unusable('The key of the connection has a character that cannot be sent')
  const open = OPENERS[provider] ?? openCompatible
  return await open({ apiKey: key, baseURL: baseURL ?? '', fetch }, route)
}

const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/

const unusable = (message: string): ModelError => new ModelError(message, { category: 'access' })

/** Providers whose address depends on a region. */
const REGIONAL = new Set(['bedrock', 'vertex_ai'])

/** Providers with their own interface; all others accept bodies in the shape of OpenAI's chat completions. */
const TRANSLATED = new Set([...REGIONAL, 'anthropic', 'gemini', 'mistral', 'cohere'])

/** Whether input in OpenAI's shape can be sent unchanged. */
export const isOpenAiShaped = (provider: string): boolean => !TRANSLATED.has(provider)

/** Addresses that differ from those of {@link PROVIDER_APIS}, or are missing there. */
const ADDRESSES: Readonly<Record<string, string>> = {
  cohere: 'https://api.cohere.com/v2',
  deepinfra: 'https://api.deepinfra.com/v1/openai',
  minimax: 'https://api.minimax.io/v1',
  anyscale: 'https://api.endpoints.anyscale.com/v1',
  alephalpha: 'https://api.aleph-alpha.com',
}

type Open = (settings: Settings, route: ProviderRoute) => Promise<Provider>

/** All providers without a package of their own here, and self-hosted servers. */
const openCompatible: Open = async ({ apiKey, ...settings }, { provider }) => {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  const opened = createOpenAICompatible({
    ...settings,
    apiKey: apiKey || undefined,
    name: provider,
    includeUsage: true,
  })
  return { chat: opened.chatModel, embedding: opened.embeddingModel }
}

/** Ends with `/openai`, whether the given address ends there, one level below or above, or in slashes. */
function azureBase(address: string): string {
  const { origin, pathname } = new URL(address)
  const steps = pathname.split('/').filter(step => step !== '')
  const end = steps.at(-1) === 'v1' && steps.at(-2) === 'openai' ? -2 : steps.at(-1) === 'openai' ? -1 : steps.length
  return [origin, ...steps.slice(0, end), 'openai'].join('/')
}

const OPENERS: Readonly<Record<string, Open>> = {
  openai: async settings => {
    const { createOpenAI } = await import('@ai-sdk/openai')
    const { chat, embedding, responses } = createOpenAI(settings)
    return { chat, embedding, responses }
  },
  azure: async (settings, { version = PROVIDER_APIS.azure?.version?.unlessGiven }) => {
    const { createAzure } = await import('@ai-sdk/azure')
    const baseURL = azureBase(settings.baseURL)
    const { chat, embedding } = createAzure({ ...settings, baseURL, apiVersion: version, useDeploymentBasedUrls: true })
    return { chat, embedding }
  },
  groq: async settings => {
    const { createGroq } = await import('@ai-sdk/groq')
    const { languageModel, embeddingModel } = createGroq(settings)
    return { chat: languageModel, embedding: embeddingModel }
  },
  together_ai: async settings => {
    const { createTogetherAI } = await import('@ai-sdk/togetherai')
    const { chatModel, embeddingModel } = createTogetherAI(settings)
    return { chat: chatModel, embedding: embeddingModel }
  },
  anthropic: async settings => {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    const { languageModel, embeddingModel } = createAnthropic(settings)
    return { chat: languageModel, embedding: embeddingModel }
  },
  gemini: async settings => {
    const { createGoogle } = await import('@ai-sdk/google')
    const { languageModel, embeddingModel } = createGoogle(settings)
    return { chat: languageModel, embedding: embeddingModel }
  },
  mistral: async settings => {
    const { createMistral } = await import('@ai-sdk/mistral')
    const { languageModel, embeddingModel } = createMistral(settings)
    return { chat: languageModel, embedding: embeddingModel }
  },
  cohere: async settings => {
    const { createCohere } = await import('@ai-sdk/cohere')
    const { languageModel, embeddingModel } = createCohere(settings)
    return { chat: languageModel, embedding: embeddingModel }
  },
  bedrock: async ({ apiKey, baseURL, fetch }, { extras }) => {
    const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock')
    const { languageModel, embeddingModel } = createAmazonBedrock({
      apiKey,
      fetch,
      baseURL: baseURL || undefined,
      region: textIn(extras, 'aws_region_name') || 'us-east-1',
      accessKeyId: textIn(extras, 'aws_access_key_id'),
      secretAccessKey: textIn(extras, 'aws_secret_access_key'),
      sessionToken: textIn(extras, 'aws_session_token') || undefined,
    })
    return { chat: languageModel, embedding: embeddingModel }
  },
  vertex_ai: async ({ apiKey, baseURL, fetch }, { extras }) => {
    const { createGoogleVertex } = await import('@ai-sdk/google-vertex/edge')
    const credentials = serviceAccountIn(extras)
    if (apiKey === '') checkPrivateKey(textIn(credentials, 'private_key'))
    const { languageModel, embeddingModel } = createGoogleVertex({
      apiKey,
      fetch,
      baseURL: baseURL || undefined,
      project: textIn(extras, ...VERTEX_PROJECT) || textIn(credentials, 'project_id'),
      location: textIn(extras, ...VERTEX_LOCATION) || 'us-central1',
      googleCredentials: {
        clientEmail: textIn(credentials, 'client_email'),
        privateKey: textIn(credentials, 'private_key'),
        privateKeyId: textIn(credentials, 'private_key_id'),
      },
    })
    return { chat: languageModel, embedding: embeddingModel }
  },
}

/** The package would find out when it signs with the key, and not say of what. As it does, takes any white space. */
function checkPrivateKey(pem: string): void {
  const key = Buffer.from(pem.replaceAll(/-----(?:BEGIN|END) PRIVATE KEY-----/g, ''), 'base64')
  try {
    createPrivateKey({ key, format: 'der', type: 'pkcs8' })
  } catch {
    throw unusable('The private_key of the service account in provider.extras cannot be read')
  }
}

/** A service account's key as issued by the cloud: an object or its JSON text. */
function serviceAccountIn(extras: ProviderRoute['extras']): Readonly<Record<string, unknown>> {
  const found = VERTEX_CREDENTIALS.map(name => extras[name]).find(value => value != null) ?? {}
  if (typeof found !== 'string') return found as Record<string, unknown>
  try {
    return parseRoundedJson(found) as JsonObject
  } catch {
    throw unusable('The credentials in provider.extras must be a service account in JSON')
  }
}
