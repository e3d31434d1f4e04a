import { flatRate, NAME_LENGTH_MAX, type Rates, splitsOf } from './rates.ts'

/** What a project says that a model costs, in USD per million tokens, with up to six decimals. */
export interface PriceOverride {
  input: number
  output: number
  /** Prompt tokens that the provider had in its cache; as `input` when absent. */
  cached_input?: number | undefined
  /** Prompt tokens that the provider put into its cache; as `input` when absent. */
  cache_write?: number | undefined
}

/** More names than this are forgotten and looked for again. */
const FOUND_MAX = 1_000

/**
 * A project's own prices, by the name of the model in any case. A name with its provider (`azure/gpt-4o`) stands for the
 * model of that provider, one without for the model whoever runs it; one that ends in `*` for all that start like this.
 * A full name comes before any other, a name with its provider before one without, a longer start before a shorter one.
 */
export class PriceOverrides {
  readonly #named = new Map<string, Rates>()
  /** Longest first. */
  readonly #starts: [start: string, rates: Rates][] = []
  readonly #found = new Map<string, Rates | undefined>()

  constructor(prices: Readonly<Record<string, PriceOverride>>) {
    for (const [given, price] of Object.entries(prices)) {
      const name = given.toLowerCase()
      if (name.endsWith('*')) this.#starts.push([name.slice(0, -1), ratesFrom(price)])
      else this.#named.set(name, ratesFrom(price))
    }
    this.#starts.sort(([one], [other]) => other.length - one.length)
  }

  /** What the model costs in this project; undefined where it does not say. `provider`: as in the list's `ratesOf`. */
  ratesOf(provider: string | undefined, model: string): Rates | undefined {
    if (model.length > NAME_LENGTH_MAX || (provider && provider.length > NAME_LENGTH_MAX)) return undefined
    const key = provider === undefined ? model : `${model}\n${provider}`
    if (!this.#found.has(key)) {
      if (this.#found.size === FOUND_MAX) this.#found.clear()
      this.#found.set(key, this.#look(namesOf(provider?.toLowerCase(), model.toLowerCase())))
    }
    return this.#found.get(key)
  }

  #look(names: readonly string[]): Rates | undefined {
    for (const name of names) {
      const rates = this.#named.get(name)
      if (rates) return rates
    }
    return this.#starts.find(([start]) => names.some(name => name.startsWith(start)))?.[1]
  }
}

/** What a model may be called, the most exact name first: `azure.ai/gpt-4o`, `azure/gpt-4o`, `gpt-4o`. */
function namesOf(provider: string | undefined, model: string): string[] {
  const providers = provider === undefined ? [] : [provider, provider.replace(/\..*/, '')]
  return [...providers.map(hint => `${hint}/${model}`), model, ...splitsOf(model).map(([, rest]) => rest)]
}

function ratesFrom({ input, output, cached_input = input, cache_write = input }: PriceOverride): Rates {
  return {
    prompt: flatRate(input),
    cacheRead: flatRate(cached_input),
    cacheWrite: flatRate(cache_write),
    completion: flatRate(output),
  }
}
