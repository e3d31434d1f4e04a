import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'
import type { Found } from './convention.ts'
import { amountOf } from './value.ts'

/** A part of a prompt or of a completion that some APIs count on their own. */
interface Part {
  of: 'prompt' | 'completion'
  name: string
}

/** These, by the spellings of senders. */
const PARTS: ReadonlyMap<string, Part> = new Map(
  Object.entries({
    cache_read: ['input_cached_tokens', 'input_cache_read', 'cache_read_input_tokens', 'input_cached', 'cache_read'],
    cache_creation: ['input_cache_creation', 'cache_creation_input_tokens', 'input_cache_write', 'cache_creation'],
    'prompt_details.audio': ['input_audio_tokens', 'input_audio'],
    reasoning: ['output_reasoning_tokens', 'output_reasoning', 'reasoning_tokens', 'reasoning'],
    'completion_details.audio': ['output_audio_tokens', 'output_audio'],
  }).flatMap(([name, spellings]) => {
    const part: Part = { of: /^(reasoning|completion)/.test(name) ? 'completion' : 'prompt', name }
    return spellings.map(spelling => [spelling, part] as const)
  }),
)

/** Objects with parts, as OpenAI's interfaces report them, and what precedes the names of these parts elsewhere. */
const DETAILS = {
  prompt_tokens_details: 'input_',
  input_tokens_details: 'input_',
  completion_tokens_details: 'output_',
  output_tokens_details: 'output_',
}

const PROMPT = ['input', 'prompt', 'input_tokens', 'prompt_tokens', 'promptTokens']
const COMPLETION = ['output', 'completion', 'output_tokens', 'completion_tokens', 'completionTokens']
const TOTAL = ['total', 'total_tokens', 'totalTokens']

/**
 * Adds the amounts of an object like `{ input, output, total, input_cached_tokens, … }`, or like those of OpenAI's
 * interfaces, tokens or costs, as `ag.metrics.tokens.incremental` (or costs). Whether the parts are included in the
 * prompt or the completion follows from the total: the first of these that adds up to it is the case: none is, all are,
 * only those of the prompt are, only those of the completion are. Without a total none is, as the senders of such
 * objects define it, but those in objects of details are.
 */
export function putUsage(found: Found, metric: 'tokens' | 'costs', sent: Json | undefined): void {
  if (!isJsonObject(sent)) return
  const place = `metrics.${metric}.incremental.`
  const prompt = firstNumber(sent, PROMPT)
  const completion = firstNumber(sent, COMPLETION)
  const total = firstNumber(sent, TOTAL)
  // A part in two spellings, as frameworks send it that add their own to the provider's, is still one part.
  const parts = new Map<Part, number>()
  const named = withCacheWrites(withDetails(sent), 'input_')
  for (const [key, part] of PARTS) {
    const value = amountOf(named[key])
    if (value !== undefined) parts.set(part, Math.max(value, parts.get(part) ?? value))
  }
  const beyond = { prompt: 0, completion: 0 }
  for (const [{ of, name }, value] of parts) {
    beyond[of] += value
    if (metric === 'tokens') found.set(place + name, value)
  }
  if (prompt === undefined && completion === undefined) {
    if (total !== undefined) found.set(`${place}total`, total)
    return
  }
  const isDetailed = Object.keys(DETAILS).some(name => isJsonObject(sent[name]))
  const whole = total ?? (isDetailed ? (prompt ?? 0) + (completion ?? 0) : undefined)
  const apart = partsApart([prompt ?? 0, completion ?? 0, whole], [beyond.prompt, beyond.completion])
  found.set(`${place}prompt`, (prompt ?? 0) + (apart.prompt ? beyond.prompt : 0))
  found.set(`${place}completion`, (completion ?? 0) + (apart.completion ? beyond.completion : 0))
  if (total !== undefined) found.set(`${place}total`, total)
}

/**
 * Adds cached tokens to a prompt that does not contain them, as Anthropic's API counts it and some instrumentations pass
 * it on: there are more of them than the prompt has, or the total contains both.
 */
export function putCachedInPrompt(ag: JsonObject): void {
  const tokens = at(at(ag.metrics, 'tokens'), 'incremental')
  if (!isJsonObject(tokens)) return
  const details = isJsonObject(tokens.prompt_details) ? tokens.prompt_details : {}
  const cached =
    (firstAmount(tokens, ['cache_read', 'cached']) || firstAmount(details, ['cache_read'])) +
    (firstAmount(tokens, ['cache_creation']) || firstAmount(details, ['cache_write']))
  const prompt = amountOf(tokens.prompt)
  if (cached === 0 || prompt === undefined) return
  const completion = amountOf(tokens.completion) ?? 0
  const total = amountOf(tokens.total)
  if (cached <= prompt && total !== prompt + cached + completion) return
  tokens.prompt = prompt + cached
  if (total === prompt + completion) tokens.total = total + cached
}

const at = (value: Json | undefined, key: string): Json | undefined => (isJsonObject(value) ? value[key] : undefined)

/** The first of these amounts that is not zero, as prices read them. */
function firstAmount(object: JsonObject, keys: readonly string[]): number {
  for (const key of keys) {
    const amount = amountOf(object[key])
    if (amount) return amount
  }
  return 0
}

function withDetails(sent: JsonObject): JsonObject {
  const named = { ...sent }
  for (const [name, prefix] of Object.entries(DETAILS)) {
    const details = sent[name]
    if (isJsonObject(details)) for (const key of Object.keys(details)) named[prefix + key] ??= details[key] as Json
  }
  return named
}

/** Anthropic's API counts the tokens written to its cache by how long they stay there, and LangChain instead of their sum. */
const WRITES = ['ephemeral_5m_input_tokens', 'ephemeral_1h_input_tokens', 'ephemeral_1hr_input_tokens']

/** Counts of parts of a prompt, whose names begin with `prefix`, with the sum of all tokens written to a cache. */
export function withCacheWrites(parts: JsonObject, prefix: string): JsonObject {
  const sum = WRITES.reduce((written, name) => written + (amountOf(parts[prefix + name]) ?? 0), 0)
  return sum > 0 ? { ...parts, [`${prefix}cache_creation`]: sum } : parts
}

function firstNumber(sent: JsonObject, keys: readonly string[]): number | undefined {
  for (const key of keys) {
    const value = amountOf(sent[key])
    if (value !== undefined) return value
  }
  return undefined
}

interface Apart {
  prompt: boolean
  completion: boolean
}

const CASES: readonly Apart[] = [
  { prompt: true, completion: true },
  { prompt: false, completion: false },
  { prompt: false, completion: true },
  { prompt: true, completion: false },
]

/** Costs are sums of doubles. */
const ROUNDING = 1e-9

function partsApart(
  [prompt, completion, total]: [number, number, number | undefined],
  [ofPrompt, ofCompletion]: [number, number],
): Apart {
  const [all, none] = CASES as [Apart, Apart]
  if (total === undefined) return all
  const sumOf = (apart: Apart): number =>
    prompt + completion + (apart.prompt ? ofPrompt : 0) + (apart.completion ? ofCompletion : 0)
  return CASES.find(apart => Math.abs(sumOf(apart) - total) <= ROUNDING * Math.max(1, Math.abs(total))) ?? none
}
