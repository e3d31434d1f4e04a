import { isJsonObject, type Json, type JsonObject, type Span } from '@spanhouse/model'

/*
 * The search terms of a span are 32-bit hashes of what lists are most often narrowed by: each scalar attribute with its
 * path, and the ids of references, links, hashes, session and user. They are a column with an index, and a filter that
 * asks for such an equality also asks for the term (`search-hints.ts`). A term never decides: what it lets through is
 * tested as ever. All that matters is that a span which satisfies the condition has one of the terms asked for; so what
 * has no term here (see `hasTerm`) is never asked for by one.
 *
 * A root's terms are other numbers than those of the same values on other spans: most lists are of roots, which are a
 * tenth of the spans.
 */

/** What stands in a span that would have more than {@link TERMS_MAX} terms, instead of all of them. No hash is 0. */
export const MANY_TERMS = 0
const TERMS_MAX = 128

/** Longer texts have no term. */
const TEXT_LENGTH_MAX = 256
/** Values with a longer path have none. */
const PATH_LENGTH_MAX = 16
/** Members of `ag` that stand in columns of their own, or that nobody looks for by equality. */
const UNLISTED = new Set(['data', 'metrics', 'type'])

/** What has terms beside the attributes: all its values on a span. */
const LISTS = {
  session_id: span => (span.session_id ? [span.session_id] : []),
  user_id: span => (span.user_id ? [span.user_id] : []),
  'references.id': span => (span.references ?? []).flatMap(one => one.id ?? []),
  'references.slug': span => (span.references ?? []).flatMap(one => one.slug ?? []),
  'links.trace_id': span => (span.links ?? []).map(link => link.trace_id),
  'hashes.id': span => (span.hashes ?? []).map(one => one.id),
} as const satisfies Record<string, (span: Span) => readonly string[]>
export type TermList = keyof typeof LISTS

/** The search terms of a span, each once, in no order that means anything. */
export function searchTermsOf(span: Span): number[] {
  const terms = new Set<number>()
  const start = SALTS[span.parent_id === undefined ? 'root' : 'other']
  for (const [name, valuesOf] of Object.entries(LISTS))
    for (const value of valuesOf(span)) terms.add(finish(mixValue(mixKey(start, name), value)))
  const attributes = mixKey(start, 'attributes')
  for (const key in span.attributes)
    if (key !== 'ag') addTerms(terms, mixKey(attributes, key), span.attributes[key] as Json, 1)
  const { ag } = span.attributes
  for (const key in ag)
    if (!UNLISTED.has(key)) addTerms(terms, mixKey(mixKey(attributes, 'ag'), key), ag[key] as Json, 2)
  return terms.size > TERMS_MAX ? [MANY_TERMS] : [...terms]
}

function addTerms(terms: Set<number>, state: number, value: Json, depth: number): void {
  if (terms.size > TERMS_MAX || depth > PATH_LENGTH_MAX) return
  if (Array.isArray(value)) {
    for (const item of value) if (isTermValue(item)) terms.add(finish(mixValue(state, item)))
  } else if (isJsonObject(value)) {
    const object: JsonObject = value
    for (const key in object) addTerms(terms, mixKey(state, key), object[key] as Json, depth + 1)
  } else if (isTermValue(value)) terms.add(finish(mixValue(state, value)))
}

/** The terms that a value of a list has: on a root, and on another span. */
export const termsOfListed = (list: TermList, value: string): SpanTerms =>
  bothTerms(start => mixValue(mixKey(start, list), value))

/** The terms of a scalar attribute, or of one that stands in a list there. Undefined when it has none. */
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

const bothTerms = (hash: (start: number) => number): SpanTerms => ({
  root: finish(hash(SALTS.root)),
  other: finish(hash(SALTS.other)),
})

type TermValue = string | number | boolean | null

/** Numbers beyond 2^53 can be written in several ways, of which the engine knows more than we do. */
function isTermValue(value: Json): value is TermValue {
  if (typeof value === 'string') return value.length <= TEXT_LENGTH_MAX
  if (typeof value === 'number') return Math.abs(value) <= Number.MAX_SAFE_INTEGER
  return typeof value === 'boolean' || value === null
}

/** Stands between keys, and before a value of each type: 5 is not "5". */
const MARKS = { key: 1, string: 2, number: 3, boolean: 4, object: 5 } as const

const mixKey = (state: number, key: string): number => mixText(mix(state, MARKS.key), key)

function mixValue(state: number, value: TermValue): number {
  const marked = mix(state, MARKS[typeof value as keyof typeof MARKS])
  return mixText(marked, typeof value === 'string' ? value : String(value === 0 ? 0 : value))
}

/** Half a surrogate pair is stored as U+FFFD. */
function mixText(state: number, text: string): number {
  const written = text.isWellFormed() ? text : text.toWellFormed()
  let hash = state
  for (let at = 0; at < written.length; at++) hash = mix(hash, written.charCodeAt(at))
  return hash
}

/** A step of FNV-1a over 16-bit units: per character, so that a path need not become a text first. */
const mix = (state: number, unit: number): number => Math.imul(state ^ unit, 0x01000193)

/** The finaliser of MurmurHash3, since FNV leaves the last units in the low bits. Never {@link MANY_TERMS}. */
function finish(state: number): number {
  let hash = state
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0 || 1
}
