/** How a provider's HTTP interface is reached, as far as all of its models share it. */
export interface ProviderApi {
  /** Without a slash at the end. Absent where every customer has an address of their own. */
  url?: string
  headers(key: string): Record<string, string>
  /** What a GET answers for a good key only, at no cost. */
  probePath: string
  /** What the query names the interface's version by, and which it is unless the credential says. */
  version?: { parameter: string; unlessGiven: string }
  /** What a bad key is answered with, when it is neither 401 nor 403. */
  refusal?: number
}

const bearer = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` })
const openAiLike = (url?: string): ProviderApi => ({ url, headers: bearer, probePath: '/models' })

/**
 * By the kind of a stored credential. Not here is what has no path that only a good key opens (a list of models that anybody may
 * read tells nothing), or credentials that sign requests.
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
