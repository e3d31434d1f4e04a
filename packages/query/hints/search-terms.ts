import { isJsonObject, type Json, type JsonObject, type Span } from '@spanhouse/model'

/*
 * The search terms of a span are 24-bit hashes of the values that lists are most often filtered by: each scalar
 * attribute with its path, and the ids of references, links and hashes. They are stored in an indexed column, and a
 * filter with such an equality also tests for the term (`search-hints.ts`). A term never decides: the rows it lets
 * through are still tested. The only requirement is that a span that satisfies the condition has one of the terms; so
 * values without a term here (see `isTermValue`) must not be looked up by one.
 *
 * The terms of a root differ from those of the same values on other spans: most lists are of roots, which are a tenth
 * of the spans.
 */

/** Replaces the terms of a span that would have more than {@link TERMS_MAX}. No hash is 0. */
export const MANY_TERMS = 0
const TERMS_MAX = 128

/** Longer texts have no term. */
const TEXT_LENGTH_MAX = 256
/** Values at longer paths have no term. */
const PATH_LENGTH_MAX = 16
/** Members of `ag` that have columns of their own, or that are not searched by equality. */
const UNLISTED = new Set(['data', 'metrics', 'type', 'session', 'user'])

const NOTHING: readonly string[] = []

/** The lists with terms, apart from the attributes: all values of a list on a span. */
const LISTS = {
  'references.id': span => span.references?.flatMap(one => one.id ?? []) ?? NOTHING,
  'references.slug': span => span.references?.flatMap(one => one.slug ?? []) ?? NOTHING,
  'links.trace_id': span => span.links?.map(link => link.trace_id) ?? NOTHING,
  'hashes.id': span => span.hashes?.map(one => one.id) ?? NOTHING,
} as const satisfies Record<string, (span: Span) => readonly string[]>
export type TermList = keyof typeof LISTS
const LIST_NAMES = Object.keys(LISTS) as TermList[]

/**
 * The search terms of a span, in no particular order; a value that occurs twice in a list has its term twice. Takes 1.3
 * µs for 19 terms (2.4 µs if paths are hashed for every span).
 */
export function searchTermsOf(span: Span): number[] {
  const terms: number[] = []
  const start = PATHS[span.parent_id === undefined ? 'root' : 'other']
  for (const name of LIST_NAMES)
    for (const value of LISTS[name](span)) terms.push(finish(mixValue(start.to(name).state, value)))
  const { ag } = span.attributes
  const attributes = start.to('attributes')
  for (const key in span.attributes)
    if (key !== 'ag') addTerms(terms, attributes.to(key), span.attributes[key] as Json, 1)
  for (const key in ag) if (!UNLISTED.has(key)) addTerms(terms, attributes.to('ag').to(key), ag[key] as Json, 2)
  return terms.length > TERMS_MAX ? [MANY_TERMS] : terms
}

function addTerms(terms: number[], path: Path, value: Json, depth: number): void {
  if (terms.length > TERMS_MAX || depth > PATH_LENGTH_MAX) return
  if (Array.isArray(value)) {
    for (const item of value) if (isTermValue(item)) terms.push(finish(mixValue(path.state, item)))
  } else if (isJsonObject(value)) {
    const object: JsonObject = value
    for (const key in object) addTerms(terms, path.to(key), object[key] as Json, depth + 1)
  } else if (isTermValue(value)) terms.push(finish(mixValue(path.state, value)))
}

/** The hash of a path prefix. The same few paths occur in span after span, so the hashes of longer paths are cached. */
class Path {
  readonly state: number
  readonly #next = new Map<string, Path>()

  constructor(state: number) {
    this.state = state
  }

  to(key: string): Path {
    const known = this.#next.get(key)
    if (known) return known
    const next = new Path(mixKey(this.state, key))
    if (Path.#remembered >= PATHS_MAX) {
      for (const start of Object.values(PATHS)) start.#next.clear()
      Path.#remembered = 0
    }
    this.#next.set(key, next)
    Path.#remembered++
    return next
  }

  static #remembered = 0
}

/** Keys that are ids, and never recur, must not fill the memory. */
const PATHS_MAX = 20_000

/** The terms of a value in a list: on a root, and on another span. */
export const termsOfListed = (list: TermList, value: string): SpanTerms =>
  bothTerms(start => mixValue(mixKey(start, list), value))

/** The terms of a scalar attribute, or of an item of a list there. Undefined if it has none. */
export function termsOfAttribute(path: readonly string[], value: Json): SpanTerms | undefined {
  if (path.length > PATH_LENGTH_MAX || !isTermValue(value)) return undefined
  if (path[0] === 'ag' && (path.length < 2 || UNLISTED.has(path[1] as string))) return undefined
  return bothTerms(start => mixValue(['attributes', ...path].reduce(mixKey, start), value))
}

export interface SpanTerms {
  root: number
  other: number
}

const SALTS: SpanTerms = { root: 0x2f0b4c47, other: 0x811c9dc5 }
const PATHS = { root: new Path(SALTS.root), other: new Path(SALTS.other) }

const bothTerms = (hash: (start: number) => number): SpanTerms => ({
  root: finish(hash(SALTS.root)),
  other: finish(hash(SALTS.other)),
})

type TermValue = string | number | boolean | null

/** Numbers beyond 2^53 can be written in several ways, which the engine distinguishes. */
function isTermValue(value: Json): value is TermValue {
  if (typeof value === 'string') return value.length <= TEXT_LENGTH_MAX
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER
  return typeof value === 'boolean' || value === null
}

/** Separates keys, and precedes values by type: 5 is not "5". */
const MARKS = { key: 1, string: 2, number: 3, boolean: 4, object: 5 } as const

const mixKey = (state: number, key: string): number => mixText(mix(state, MARKS.key), key)

function mixValue(state: number, value: TermValue): number {
  const marked = mix(state, MARKS[typeof value as keyof typeof MARKS])
  return mixText(marked, typeof value === 'string' ? value : String(value === 0 ? 0 : value))
}

/** Half a surrogate pair is stored as U+FFFD. */
function mixText(state: number, text: string): number {
  let hash = state
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    // Checking every text for well-formedness would take as long as everything else.
    if ((unit & 0xf800) === 0xd800 && !text.isWellFormed()) return mixText(state, text.toWellFormed())
    hash = mix(hash, unit)
  }
  return hash
}

/** A step of FNV-1a over 16-bit units: works per character, so a path need not be joined to a text first. */
const mix = (state: number, unit: number): number => Math.imul(state ^ unit, 0x01000193)

/**
 * The finaliser of MurmurHash3, since FNV leaves the last units in the low bits. Never returns {@link MANY_TERMS}. With
 * 16 million numbers and a few thousand per granule, the hash lets one value in some thousands pass, the index itself
 * one in a hundred.
 */
function finish(state: number): number {
  let hash = state
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) & 0xffffff || 1
}
