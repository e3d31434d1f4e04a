import { parseExact } from '../api/exact-json.ts'
import type { Condition, Group } from '../api/filtering.ts'
import { FIELDS, FilterError, nameOfField, testOf } from './filter-fields.ts'

export { FilterError } from './filter-fields.ts'

/*
 * The language of the filter line: `type:agent cost>0.01 (user:ada or user:grace) -status:error "northern lights"`.
 *
 *     filter   all ("or" all)*        terms side by side must all hold, "or" separates alternatives
 *     all      term+
 *     term     "-" term | "(" filter ")" | field operator value | text | JSON
 *
 * A term in braces is a condition or a group as the interface takes it, as JSON: for what has no shorter form. A text
 * without a field is searched for in inputs, outputs and names. A field that is not known is the path of an attribute,
 * such as `ag.tags.app=shop`.
 */

interface Token {
  kind: 'open' | 'close' | 'or' | 'minus' | 'test' | 'text' | 'json'
  field?: string
  operator?: string
  value: string
}

const QUOTED = '"((?:[^"\\\\]|\\\\.)*)"?'
const TOKENS = new RegExp(
  `\\s*(?:([()])|(-)(?=[^\\s])|([\\p{L}_][\\p{L}\\p{N}_.-]*)(!=|>=|<=|[:=<>])(?:${QUOTED}|([^\\s()]*))|${QUOTED}|([^\\s()]+))`,
  'uy',
)

function tokensOf(text: string): Token[] {
  const tokens: Token[] = []
  TOKENS.lastIndex = 0
  const end = text.trimEnd().length
  while (TOKENS.lastIndex < end) {
    const at = TOKENS.lastIndex + (/^\s*/.exec(text.slice(TOKENS.lastIndex))?.[0].length ?? 0)
    if (text[at] === '{') {
      const value = text.slice(at, endOfJson(text, at))
      tokens.push({ kind: 'json', value })
      TOKENS.lastIndex = at + value.length
      continue
    }
    const match = TOKENS.exec(text)
    if (!match) break
    tokens.push(tokenOf(match))
  }
  return tokens
}

/** The index after the object that begins at an index; the end of the text if it is not closed. */
function endOfJson(text: string, from: number): number {
  let [depth, isQuoted] = [0, false]
  for (let at = from; at < text.length; at++) {
    const character = text[at]
    if (character === '\\') at++
    else if (character === '"') isQuoted = !isQuoted
    else if (!isQuoted && character === '{') depth++
    else if (!isQuoted && character === '}' && --depth === 0) return at + 1
  }
  return text.length
}

function tokenOf([, bracket, minus, field, operator, quoted, bare, phrase, word]: RegExpExecArray): Token {
  if (bracket) return { kind: bracket === '(' ? 'open' : 'close', value: bracket }
  if (minus) return { kind: 'minus', value: minus }
  if (field) return { kind: 'test', field, operator, value: quoted === undefined ? (bare ?? '') : unquoted(quoted) }
  if (word?.toLowerCase() === 'or') return { kind: 'or', value: word }
  return { kind: 'text', value: phrase === undefined ? (word ?? '') : unquoted(phrase) }
}

const unquoted = (text: string): string => text.replace(/\\(.)/g, '$1')

/** Parses the text of a filter line. Throws a {@link FilterError}. An empty text selects everything. */
export function parseFilterText(text: string): Group {
  const tokens = tokensOf(text)
  let at = 0
  const alternatives = (): Group => {
    const groups = [all()]
    while (tokens[at]?.kind === 'or') {
      at++
      groups.push(all())
    }
    return groups.length === 1 ? (groups[0] as Group) : { operator: 'or', conditions: groups }
  }
  const all = (): Group => {
    const conditions: (Condition | Group)[] = []
    while (at < tokens.length && tokens[at]?.kind !== 'or' && tokens[at]?.kind !== 'close') conditions.push(term())
    if (conditions.length === 0 && tokens.length > 0) throw new FilterError('A condition is missing.')
    return { operator: 'and', conditions }
  }
  const term = (): Condition | Group => {
    const token = tokens[at++]
    if (token === undefined) throw new FilterError('A condition is missing after “-”.')
    if (token.kind === 'minus') return { operator: 'not', conditions: [term()] }
    if (token.kind === 'open') {
      const group = alternatives()
      if (tokens[at++]?.kind !== 'close') throw new FilterError('A “)” is missing.')
      return group
    }
    if (token.kind === 'json') return jsonTerm(token.value)
    return token.kind === 'test' ? testOf(token) : { field: 'content', operator: 'contains', value: token.value }
  }
  const filter = alternatives()
  if (at < tokens.length) throw new FilterError('There is one “)” too many.')
  return filter
}

function jsonTerm(text: string): Condition | Group {
  const term = parsedJson(text)
  if (term !== undefined && (typeof term.field === 'string' || Array.isArray(term.conditions)))
    return term as unknown as Condition | Group
  throw new FilterError(
    'The text between { and } must be a condition as JSON, such as {"field":"span_id","operator":"exists"}.',
  )
}

function parsedJson(text: string): Record<string, unknown> | undefined {
  try {
    return parseExact(text)
  } catch {
    return undefined
  }
}

/** The term for what `isFailed` (`api/queries.ts`) is true of, and what counts as with errors. */
export const WITH_ERRORS = '(errors>0 or status:error)'

/** A term that selects exactly one value of a field, or what has none. */
export function termOf(field: string, value: string | undefined): string {
  const name = nameOfField(field) ?? field
  if (value === undefined) return `no:${name}`
  const shown = field === 'status_code' ? value.replace('STATUS_CODE_', '').toLowerCase() : value
  const operator = FIELDS[name]?.kind === 'text' ? '=' : ':'
  return `${name}${operator}${quoted(shown)}`
}

/** A value as the line takes it. Without quotes, an equals sign after `>` or `<` would belong to the operator. */
export const quoted = (value: string): string =>
  /^[^\s"(){}\\=][^\s"(){}\\]*$/.test(value) ? value : `"${value.replace(/["\\]/g, '\\$&')}"`

/** Whether a text has a term, as it is or negated. */
export const hasTerm = (text: string, term: string): boolean => termsOf(text).includes(term)

/** Adds a term to a text, or removes it; the opposite of it is removed in any case. */
export function toggleTerm(text: string, term: string): string {
  const opposite = term.startsWith('-') ? term.slice(1) : `-${term}`
  const terms = termsOf(text)
  const rest = terms.filter(one => one !== opposite && one !== term)
  return (terms.includes(term) ? rest : [...rest, term]).join(' ')
}

/** The text of a filter for what satisfies each of some filters; of none, or of empty ones, it is empty. */
export const allOf = (texts: readonly (string | undefined)[]): string =>
  texts.flatMap(text => termsOf(text ?? '')).join(' ')

/**
 * The terms of a text that must all hold. Alternatives are one, in brackets: what follows would belong to the last of
 * them.
 */
function termsOf(text: string): string[] {
  const terms = splitTerms(text)
  return terms.some(term => term.toLowerCase() === 'or') ? [`(${terms.join(' ')})`] : terms
}

/**
 * For a filter that is one word or phrase, which is looked for in inputs and outputs: the filter for what is called so,
 * or for the trace with that id.
 */
export function namedLike(filter: string): string | undefined {
  const [token, ...others] = tokensOf(filter)
  if (token?.kind !== 'text' || others.length > 0) return undefined
  return TRACE_ID.test(token.value) ? `trace:${token.value.toLowerCase()}` : `name:${quoted(token.value)}`
}

const TRACE_ID = /^[0-9a-f]{32}$/i

/** The texts between spaces that stand neither in quotes nor in brackets or braces. */
export function splitTerms(text: string): string[] {
  const terms: string[] = []
  let [term, depth, isQuoted] = ['', 0, false]
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string
    if (isQuoted && character === '\\') {
      term += character + (text[++at] ?? '')
      continue
    }
    if (character === '"') isQuoted = !isQuoted
    if (!isQuoted && '({'.includes(character)) depth++
    if (!isQuoted && ')}'.includes(character)) depth--
    if (character === ' ' && !isQuoted && depth <= 0) {
      if (term !== '') terms.push(term)
      term = ''
    } else term += character
  }
  return term === '' ? terms : [...terms, term]
}
