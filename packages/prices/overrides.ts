import { flatRate, keyOf, NAME_LENGTH_MAX, type Rates, splitsOf } from './rates.ts'

/** A project's price for a model, in USD per million tokens, with up to six decimals. */
export interface PriceOverride {
  input: number
  output: number
  /** The price of prompt tokens read from the provider's cache; `input` by default. */
  cached_input?: number | undefined
  /** The price of prompt tokens written to the provider's cache; `input` by default. */
  cache_write?: number | undefined
}

/** The maximum number of cached names; beyond it the cache is cleared. */
const FOUND_MAX = 1_000

/**
 * A project's own prices, by the name of the model, ignoring case. A name with its provider (`azure/gpt-4o`) applies to
 * that provider's model, one without applies whatever the provider; one that ends in `*` applies to all names with that
 * prefix. A full name wins over prefixes, a name with its provider over one without, a longer prefix over a shorter
 * one.
 */
export class PriceOverrides {
  readonly #named = new Map<string, Rates>()
  /** Those with a provider first, then the longest. */
  readonly #starts: [start: string, rates: Rates][] = []
  readonly #found = new Map<string, Rates | undefined>()

  constructor(prices: Readonly<Record<string, PriceOverride>>) {
    for (const [given, price] of Object.entries(prices)) {
      const name = given.toLowerCase()
      if (name.endsWith('*')) this.#starts.push([name.slice(0, -1), ratesFrom(price)])
      else this.#named.set(name, ratesFrom(price))
    }
    this.#starts.sort(
      ([one], [other]) => Number(hasProvider(other)) - Number(hasProvider(one)) || other.length - one.length,
    )
  }

  /**
   * The price of the model in this project; undefined if none is set. For `provider` see the price list's `ratesOf`.
   */
  ratesOf(provider: string | undefined, model: string): Rates | undefined {
    if (model.length > NAME_LENGTH_MAX || (provider && provider.length > NAME_LENGTH_MAX)) return undefined
    const key = keyOf(provider, model)
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

const hasProvider = (name: string): boolean => name.includes('/')

/**
 * The names under which a model may be priced, the most specific first: `azure.ai/gpt-4o`, `azure/gpt-4o`, `gpt-4o`.
 */
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
