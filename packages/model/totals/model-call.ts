import { isJsonObject, type Json } from '../json/json.ts'
import type { Micros } from '../time.ts'
import { AMOUNTS, type Amounts, NO_AMOUNTS } from './amounts.ts'

/** What tells whether two spans record the same call of a model. */
export interface ModelCall {
  /** The names of the model, without provider and version; empty if the span has none. */
  readonly models: readonly string[]
  /** The instrumentation that recorded the call: the name of the scope. Empty if unknown. */
  readonly source: string
  readonly end_time: Micros
}

/**
 * The call that a span records: from its own amounts, `ag.meta`, the name of its scope and its end. Null if it has no
 * tokens of its own.
 */
export function modelCall(
  own: Amounts,
  { meta, source, end_time }: { meta: Json | undefined; source: Json | undefined; end_time: Micros },
): ModelCall | null {
  if (own === NO_AMOUNTS || TOKENS.every(index => own[index] === 0n)) return null
  const isName = typeof source === 'string' && source.length <= NAME_LENGTH_MAX
  return { models: modelNames(meta), source: isName ? source : '', end_time }
}

const TOKENS = AMOUNTS.flatMap(({ metric }, index) => (metric === 'tokens' ? [index] : []))
export const [PROMPT, COMPLETION, TOTAL] = TOKENS as [number, number, number]

/** Longer names of models and scopes are not compared. */
const NAME_LENGTH_MAX = 200
/** Senders use the same few models for all their spans. */
const plainNames = new Map<string, string>()
const PLAIN_NAMES_MAX = 1_000

/** The requested and the answering model in `ag.meta`, without provider and version, each once. */
function modelNames(meta: Json | undefined): string[] {
  if (!isJsonObject(meta)) return NONE
  const asked = nameIn(meta.request)
  const answered = nameIn(meta.response)
  if (answered === undefined) return asked === undefined ? NONE : [asked]
  return asked === undefined || asked === answered ? [answered] : [asked, answered]
}

const NONE: string[] = []

function nameIn(part: Json | undefined): string | undefined {
  const name = isJsonObject(part) ? part.model : undefined
  if (typeof name !== 'string' || name === '' || name.length > NAME_LENGTH_MAX) return undefined
  let plain = plainNames.get(name)
  if (plain === undefined) {
    plain = plainName(name)
    if (plainNames.size === PLAIN_NAMES_MAX) plainNames.clear()
    plainNames.set(name, plain)
  }
  return plain
}

/** One span names an alias where another has the dated version: `openai/gpt-4o` and `gpt-4o-2024-08-06`. */
const plainName = (name: string): string =>
  name
    .toLowerCase()
    .replace(/^.*[/\n]/, '')
    .replace(/[-@](latest|\d{8}|\d{4}-\d{2}-\d{2})$/, '')

/** Whether two spans may record calls of the same model: a span without a model may be of any. */
export const mayBeSameModel = (one: ModelCall, other: ModelCall): boolean =>
  one.models.length === 0 || other.models.length === 0 || one.models.some(name => other.models.includes(name))

/** Whether both have the same prompt and completion tokens; if one has neither, the same total. */
export function haveEqualTokens(one: Amounts, other: Amounts): boolean {
  if (hasOnlyTotal(one) || hasOnlyTotal(other)) return one[TOTAL] === other[TOTAL]
  return one[PROMPT] === other[PROMPT] && one[COMPLETION] === other[COMPLETION]
}

const hasOnlyTotal = (amounts: Amounts): boolean => amounts[PROMPT] === 0n && amounts[COMPLETION] === 0n
