import { flatRate, type Rates } from './rates.ts'

/** What a project says that a model costs, in USD per million tokens. */
export interface PriceOverride {
  input: number
  output: number
  /** Prompt tokens that the provider had in its cache; as `input` when absent. */
  cached_input?: number
}

/**
 * A project's own prices, by the name of the model as spans name it, in any case. A name that ends in `*` stands for all that
 * start like this; the longest one that applies counts, and a full name before any of them. Must not be changed once
 * it is in use.
 */
export type PriceOverrides = ReadonlyMap<string, PriceOverride>

/** Each model is looked for once. */
const found = new WeakMap<PriceOverrides, Map<string, Rates | undefined>>()
const FOUND_MAX = 10_000

/** The rates that a project has for a model; undefined when it has none. */
export function overriddenRates(overrides: PriceOverrides, model: string): Rates | undefined {
  const known = found.get(overrides) ?? new Map<string, Rates | undefined>()
  if (known.size === 0) found.set(overrides, known)
  if (!known.has(model)) {
    if (known.size === FOUND_MAX) known.clear()
    const override = overrideOf(overrides, model.toLowerCase())
    known.set(model, override && ratesFrom(override))
  }
  return known.get(model)
}

function overrideOf(overrides: PriceOverrides, model: string): PriceOverride | undefined {
  let best: { length: number; override: PriceOverride } | undefined
  for (const [name, override] of overrides) {
    const pattern = name.toLowerCase()
    if (pattern === model) return override
    const applies = pattern.endsWith('*') && model.startsWith(pattern.slice(0, -1))
    if (applies && (!best || pattern.length > best.length)) best = { length: pattern.length, override }
  }
  return best?.override
}

function ratesFrom({ input, output, cached_input }: PriceOverride): Rates {
  const prompt = flatRate(input)
  return {
    prompt,
    cacheRead: cached_input === undefined ? prompt : flatRate(cached_input),
    cacheWrite: prompt,
    completion: flatRate(output),
  }
}
