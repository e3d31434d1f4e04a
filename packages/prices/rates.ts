import { calcPrice, type ModelPrice, type PriceCalculation } from '@pydantic/genai-prices'
import type { Micros } from '@spanhouse/model'

/**
 * Prices in picodollars (1e-12 USD) per token: prices are whole numbers of these, so costs are exact. Steps depend on
 * the number of prompt tokens: the last exceeded step applies to all tokens. There is at least one step.
 */
export type Rate = readonly { above: number; picodollars: number }[]

/** The prices of a model's tokens. */
export interface Rates {
  prompt: Rate
  /** Prompt tokens read from the provider's cache, and those written to it. */
  cacheRead: Rate
  cacheWrite: Rate
  completion: Rate
}

/** Longer names are not names of models. */
export const NAME_LENGTH_MAX = 200

/** Some providers are cheaper at night: a price applies to the quarter of an hour in which a span started. */
const PERIOD_MICROS = 15 * 60 * 1_000_000

/** Marks a model whose price depends on the time; its prices are cached per period. */
const TIMED = Symbol('timed')

/**
 * By model, provider and, for time-dependent prices, period; undefined for unknown models. One lookup tests hundreds of
 * patterns (4 to 300 microseconds), and spans name the same few models.
 */
const known = new Map<string, Rates | undefined | typeof TIMED>()
const KNOWN_MAX = 10_000

/**
 * The prices of a model at a time; undefined if it is not in the list. `provider` is the name that the instrumentation
 * uses, or undefined; it may also precede the model's name (`azure/gpt-4o`).
 */
export function ratesOf(provider: string | undefined, model: string, time: Micros): Rates | undefined {
  if (model.length > NAME_LENGTH_MAX || (provider && provider.length > NAME_LENGTH_MAX)) return undefined
  const name = keyOf(provider, model)
  const rates = known.get(name)
  if (rates !== TIMED && (rates || known.has(name))) return rates
  const period = Math.floor(time / PERIOD_MICROS)
  const timedName = `${period} ${name}`
  if (rates === TIMED && known.has(timedName)) return known.get(timedName) as Rates | undefined
  const price = priceOf(provider, model, new Date((period * PERIOD_MICROS) / 1000))
  const found = price && ratesFrom(price.model_price)
  if (known.size >= KNOWN_MAX) known.clear()
  if (Array.isArray(price?.model.prices)) known.set(name, TIMED).set(timedName, found)
  else known.set(name, found)
  return found
}

/**
 * A different text for every model and provider, whatever characters a sender puts into their names: the length says
 * where the model's name ends. It begins with a space, so nothing with a period before it is the same.
 */
export const keyOf = (provider: string | undefined, model: string): string =>
  provider === undefined ? ` ${model.length} ${model}` : ` ${model.length} ${model}\n${provider}`

/** The providers whose models are looked up by their plain names, in this order, if no provider is given. */
const MAKERS = ['openai', 'anthropic', 'google', 'mistral', 'cohere', 'deepseek', 'x-ai', 'perplexity']

function priceOf(provider: string | undefined, model: string, timestamp: Date): PriceCalculation | undefined {
  const find = (name: string, providerId?: string): PriceCalculation | undefined =>
    calcPrice({}, name, { providerId, timestamp }) ?? undefined
  // `openai.chat`, `azure.ai.openai`: the whole name is tried first, then its first part.
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

/** No model name has more providers in front of it. */
const SPLITS_MAX = 3

/** Splits `a/b/c` into `a` and `b/c`, then `a/b` and `c`; the same with a colon. */
export const splitsOf = (model: string): [string, string][] =>
  [...model.matchAll(/[/:]/g)].slice(0, SPLITS_MAX).map(({ index }) => [model.slice(0, index), model.slice(index + 1)])

/** Undefined for models that are not priced per token. */
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

/** The same price for any number of tokens, from USD per million tokens; rounded to a picodollar per token. */
export const flatRate = (usdPerMillion: number): Rate => [{ above: -1, picodollars: picodollarsOf(usdPerMillion) }]

const picodollarsOf = (usdPerMillion: number): number => Math.round(usdPerMillion * 1e6)

const FREE = flatRate(0)
