import { CALL_TYPES, isJsonObject, type Json, type JsonObject, numberOf, type Span } from '@spanhouse/model'
import type { PriceOverrides } from './overrides.ts'
import { type Rate, type Rates, ratesOf } from './rates.ts'

/** The places of the model's name; the first one is used. The model that answered comes before the requested one. */
const MODEL_PATHS = [
  ['ag', 'meta', 'response', 'model'],
  ['ag', 'data', 'parameters', 'model'],
  ['ag', 'meta', 'request', 'model'],
  ['gen_ai', 'request', 'model'],
]
const PROVIDER_PATHS = [
  ['ag', 'meta', 'provider', 'name'],
  ['ag', 'meta', 'provider'],
  ['ag', 'meta', 'system'],
]

/**
 * Sets the costs of a span that used a model, in USD: `ag.metrics.costs.incremental` with `prompt`, `completion` and
 * `total`, from its own tokens, at the prices at its start time. Costs sent by the client are kept, and a model without
 * a price gets no costs. `overrides` are the project's own prices, which win over the price list. The span is modified;
 * it must be in canonical form and not shared.
 */
export function priceSpan(span: Span, overrides?: PriceOverrides): void {
  if (!CALL_TYPES.has(span.span_type)) return
  const metrics = span.attributes.ag.metrics as JsonObject
  const costs = objectOf(metrics.costs)
  const sent = objectOf(costs.incremental)
  if (COSTS.some(key => numberOf(sent[key]) !== undefined)) return
  const model = textAt(span.attributes, MODEL_PATHS)
  if (model === undefined) return
  const provider = textAt(span.attributes, PROVIDER_PATHS)
  const rates = overrides?.ratesOf(provider, model) ?? ratesOf(provider, model, span.start_time)
  if (!rates) return
  metrics.costs = {
    ...costs,
    incremental: { ...sent, ...costsOf(rates, objectOf(objectOf(metrics.tokens).incremental)) },
  }
}

const COSTS = ['prompt', 'completion', 'total'] as const

const PICODOLLARS = 1e12

/**
 * Cached tokens are part of the prompt and have their own price. If there are more of them than prompt tokens, the
 * prompt was counted without them, as Anthropic's API does.
 */
function costsOf(rates: Rates, tokens: JsonObject): Record<(typeof COSTS)[number], number> {
  const prompt = countOf(tokens.prompt)
  const details = objectOf(tokens.prompt_details)
  const cacheRead = countOf(tokens.cache_read) || countOf(tokens.cached) || countOf(details.cache_read)
  const cacheWrite = countOf(tokens.cache_creation) || countOf(details.cache_write)
  const cached = cacheRead + cacheWrite
  const plain = cached > prompt ? prompt : prompt - cached
  const sent = plain + cached
  const forPrompt =
    plain * priceAt(rates.prompt, sent) +
    cacheRead * priceAt(rates.cacheRead, sent) +
    cacheWrite * priceAt(rates.cacheWrite, sent)
  const forCompletion = countOf(tokens.completion) * priceAt(rates.completion, sent)
  return {
    prompt: forPrompt / PICODOLLARS,
    completion: forCompletion / PICODOLLARS,
    total: (forPrompt + forCompletion) / PICODOLLARS,
  }
}

/** Negative counts are treated as zero. */
const countOf = (value: Json | undefined): number => Math.max(0, numberOf(value) ?? 0)

function priceAt(rate: Rate, promptTokens: number): number {
  let price = 0
  for (const { above, picodollars } of rate) if (promptTokens > above) price = picodollars
  return price
}

function textAt(attributes: JsonObject, paths: readonly (readonly string[])[]): string | undefined {
  for (const path of paths) {
    let value: Json | undefined = attributes
    for (const key of path) value = isJsonObject(value) && Object.hasOwn(value, key) ? value[key] : undefined
    if (typeof value === 'string' && value !== '') return value
  }
  return undefined
}

const NOTHING: JsonObject = {}
const objectOf = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : NOTHING)
