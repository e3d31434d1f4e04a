import { MODELS } from './catalogue.ts'

interface Family {
  /** The prefixes of its models' names, before a slash; includes older spellings. */
  prefixes: readonly string[]
  /** The pattern of its models' names without a prefix. */
  names?: RegExp
}

/** The providers that need only a key, by the kind of that key. */
const FAMILIES: Readonly<Record<string, Family>> = {
  openai: {
    prefixes: ['openai'],
    names: /^(gpt-|o\d(-|$)|chatgpt-|codex-|ft:gpt-|text-embedding-(3-|ada-)|davinci-|babbage-)/,
  },
  anthropic: { prefixes: ['anthropic'], names: /^claude-/ },
  gemini: { prefixes: ['gemini', 'google'], names: /^(gemini-|text-embedding-00\d$|gemini-embedding-)/ },
  mistral: {
    prefixes: ['mistral', 'mistralai'],
    names: /^((open-)?(mistral|mixtral|codestral)-|ministral-|devstral-|magistral-|pixtral-)/,
  },
  cohere: { prefixes: ['cohere'], names: /^(command(-|$)|c4ai-|embed-(english|multilingual|v\d))/ },
  groq: { prefixes: ['groq'] },
  deepinfra: { prefixes: ['deepinfra'] },
  together_ai: { prefixes: ['together_ai', 'togetherai', 'together'] },
  openrouter: { prefixes: ['openrouter'] },
  perplexityai: { prefixes: ['perplexity', 'perplexityai'], names: /^sonar(-|$)/ },
  minimax: { prefixes: ['minimax'], names: /^minimax-/i },
  anyscale: { prefixes: ['anyscale'] },
  alephalpha: { prefixes: ['alephalpha'], names: /^luminous-/ },
}

const LISTED = new Map(
  Object.entries(MODELS).flatMap(([family, models]) => Object.keys(models).map(id => [id, family])),
)

/** The family whose list contains exactly this model. */
export const listedFamily = (model: string): string | undefined => LISTED.get(model)

/** The family that a model's name indicates: by its prefix, or by the pattern of the family's names. */
export function namedFamily(model: string): string | undefined {
  const [prefix] = model.split('/', 1) as [string]
  const isPrefixed = prefix !== model
  const found = Object.entries(FAMILIES).find(([, { prefixes, names }]) =>
    isPrefixed ? prefixes.includes(prefix) : names?.test(model),
  )
  return found?.[0]
}

/** A model's name in its family's own interface. */
export function withoutPrefix(model: string, family: string): string {
  const prefix = FAMILIES[family]?.prefixes.find(one => model.startsWith(`${one}/`))
  return prefix === undefined ? model : model.slice(prefix.length + 1)
}
