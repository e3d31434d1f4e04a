/** The model providers that need only a key, and their display names. */
export const STANDARD_PROVIDERS = {
  openai: 'OpenAI',
  cohere: 'Cohere',
  anyscale: 'Anyscale',
  deepinfra: 'DeepInfra',
  alephalpha: 'Aleph Alpha',
  groq: 'Groq',
  minimax: 'MiniMax',
  mistral: 'Mistral AI',
  anthropic: 'Anthropic',
  perplexityai: 'Perplexity AI',
  together_ai: 'Together AI',
  openrouter: 'OpenRouter',
  gemini: 'Google Gemini',
} as const

export type StandardProvider = keyof typeof STANDARD_PROVIDERS

export const STANDARD_KINDS = Object.keys(STANDARD_PROVIDERS) as StandardProvider[]

/** Providers with an address of their own, or with other credentials. */
export const CUSTOM_KINDS = [...STANDARD_KINDS, 'custom', 'azure', 'bedrock', 'sagemaker', 'vertex_ai'] as const

/** Older spellings. */
export const STANDARD_ALIASES: Record<string, StandardProvider> = { mistralai: 'mistral' }
export const CUSTOM_ALIASES: Record<string, StandardProvider> = { ...STANDARD_ALIASES, togetherai: 'together_ai' }
