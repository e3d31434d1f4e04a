import { calcPrice, type ModelPrice, type PriceCalculation } from '@pydantic/genai-prices'
import type { Micros } from '@spanhouse/model'

/**
 * A price in picodollars (1e-12 USD) a token: the prices of this world are whole numbers of these, so that costs are
 * exact. By the number of prompt tokens: the last step that is exceeded counts for all tokens. At least one step.
 */
export type Rate = readonly { above: number; picodollars: number }[]

/** What a model's tokens cost. */
export interface Rates {
  prompt: Rate
  /** Prompt tokens that the provider had in its cache, and those that it put there. */
  cacheRead: Rate
  cacheWrite: Rate
  completion: Rate
}

/** Longer names are no models. */
export const NAME_LENGTH_MAX = 200

/** Some providers are cheaper at night: a price counts for the quarter of an hour that a span started in. */
const PERIOD_MICROS = 15 * 60 * 1_000_000

/** A model whose price depends on the time: it is remembered for each period. */
const TIMED = Symbol('timed')

/**
 * By model, provider and, for timed ones, period; undefined for models that nobody knows. One look-up goes through
 * hundreds of patterns (4 to 300 microseconds), and spans name the same few models.
 */
const known = new Map<string, Rates | undefined | typeof TIMED>()
const KNOWN_MAX = 10_000

/**
 * What a model costs at a time; undefined for one that is not in the list. `provider`: as instrumentation calls it, or
 * undefined; it may also stand before the model's name (`azure/gpt-4o`).
 */
export function ratesOf(provider: string | undefined, model: string, time: Micros): Rates | undefined {
  if (model.length > NAME_LENGTH_MAX || (provider && provider.length > NAME_LENGTH_MAX)) return undefined
  const name = provider === undefined ? model : `${model}\n${provider}`
  const rates = known.get(name)
  if (rates !== TIMED && (rates || known.has(name))) return rates
  const period = Math.floor(time / PERIOD_MICROS)
  const timedName = `${name}\n${period}`
  if (rates === TIMED && known.has(timedName)) return known.get(timedName) as Rates | undefined
  const price = priceOf(provider, model, new Date((period * PERIOD_MICROS) / 1000))
  const found = price && ratesFrom(price.model_price)
  if (known.size >= KNOWN_MAX) known.clear()
  if (Array.isArray(price?.model.prices)) known.set(name, TIMED).set(timedName, found)
  else known.set(name, found)
  return found
}

/** Whose models are asked for by their bare names, in this order, when nothing says who runs them. */
const MAKERS = ['openai', 'anthropic', 'google', 'mistral', 'cohere', 'deepseek', 'x-ai', 'perplexity']

function priceOf(provider: string | undefined, model: string, timestamp: Date): PriceCalculation | undefined {
  const find = (name: string, providerId?: string): PriceCalculation | undefined =>
    calcPrice({}, name, { providerId, timestamp }) ?? undefined
  // `openai.chat`, `azure.ai.openai`: the whole name may be known, else its first part.
  for (const hint of provider === undefined ? [] : [provider, provider.replace(/\..*/, '')]) {
    const price = find(model, hint)
    if (price) return price
  }
  for (const [prefix, name] of splitsOf(model)) {
    const price = find(name, prefix)
    if (price) return price
  }
  for (const name of [model, ...splitsOf(model).map(([, rest]) => rest)])
    for (const maker of [undefined, ...MAKERS]) {
      const price = find(name, maker)
      if (price) return price
    }
  return undefined
}

/** No route to a model has more stations. */
const SPLITS_MAX = 3

/** `a/b/c` as `a` and `b/c`, then `a/b` and `c`; the same with a colon. */
export const splitsOf = (model: string): [string, string][] =>
  [...model.matchAll(/[/:]/g)].slice(0, SPLITS_MAX).map(({ index }) => [model.slice(0, index), model.slice(index + 1)])

/** Undefined for models that are not paid by the token. */
function ratesFrom({ input_mtok, output_mtok, cache_read_mtok, cache_write_mtok }: ModelPrice): Rates | undefined {
  const prompt = rateFrom(input_mtok)
  const completion = rateFrom(output_mtok)
  if (!prompt && !completion) return undefined
  return {
    prompt: prompt ?? FREE,
    cacheRead: rateFrom(cache_read_mtok) ?? prompt ?? FREE,
    cacheWrite: rateFrom(cache_write_mtok) ?? prompt ?? FREE,
    completion: completion ?? FREE,
  }
}

function rateFrom(price: ModelPrice[string]): Rate | undefined {
  if (price === undefined) return undefined
  if (typeof price === 'number') return flatRate(price)
  const steps = price.tiers.map(tier => ({ above: tier.start, picodollars: picodollarsOf(tier.price) }))
  return [...flatRate(price.base), ...steps.sort((one, other) => one.above - other.above)]
}

/** The same price for any number of tokens, from USD per million tokens; rounded to a picodollar a token. */
export const flatRate = (usdPerMillion: number): Rate => [{ above: -1, picodollars: picodollarsOf(usdPerMillion) }]

const picodollarsOf = (usdPerMillion: number): number => Math.round(usdPerMillion * 1e6)

const FREE = flatRate(0)
