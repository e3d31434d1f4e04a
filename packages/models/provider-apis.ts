/** The HTTP interface of a provider, as far as all its models share it. */
export interface ProviderApi {
  /** Without a trailing slash. Absent if every customer has a separate address. */
  url?: string
  headers(key: string): Record<string, string>
  /** A path whose GET succeeds only with a valid key, at no cost. */
  probePath: string
  /** The query parameter for the interface's version, and its default. */
  version?: { parameter: string; unlessGiven: string }
  /** The status for an invalid key, if it is neither 401 nor 403. */
  refusal?: number
}

const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` })
const openAiLike = (url?: string): ProviderApi => ({ url, headers: bearer, probePath: '/models' })

/**
 * By the kind of a stored credential. Omitted are providers without a path that requires a valid key (a public list of
 * models proves nothing), and credentials that sign requests.
 */
export const PROVIDER_APIS: Readonly<Record<string, ProviderApi>> = {
  openai: openAiLike('https://api.openai.com/v1'),
  cohere: openAiLike('https://api.cohere.com/v1'),
  groq: openAiLike('https://api.groq.com/openai/v1'),
  mistral: openAiLike('https://api.mistral.ai/v1'),
  together_ai: openAiLike('https://api.together.xyz/v1'),
  custom: openAiLike(),
  openrouter: { url: 'https://openrouter.ai/api/v1', headers: bearer, probePath: '/key' },
  perplexityai: { url: 'https://api.perplexity.ai', headers: bearer, probePath: '/async/chat/completions' },
  anthropic: {
    url: 'https://api.anthropic.com/v1',
    headers: key => ({ 'x-api-key': key, 'anthropic-version': '2023-06-01' }),
    probePath: '/models',
  },
  gemini: {
    url: 'https://generativelanguage.googleapis.com/v1beta',
    headers: key => ({ 'x-goog-api-key': key }),
    probePath: '/models',
    refusal: 400,
  },
  azure: {
    headers: key => ({ 'api-key': key }),
    probePath: '/openai/models',
    version: { parameter: 'api-version', unlessGiven: '2024-10-21' },
  },
}
