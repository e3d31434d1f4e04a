import type { Condition, Group } from '../api/filtering.ts'

/*
 * The language of the filter line: `type:agent cost>0.01 (user:ada or user:grace) -status:error "northern lights"`.
 *
 *     filter   all ("or" all)*        terms side by side must all hold, "or" separates alternatives
 *     all      term+
 *     term     "-" term | "(" filter ")" | field operator value | text
 *
 * A text without a field is searched for in inputs, outputs and names. A field that is not known is the path of an
 * attribute, such as `ag.tags.app=shop`.
 */

/** Why a text is no filter, for the person who typed it. */
export class FilterError extends Error {}

interface Token {
  kind: 'open' | 'close' | 'or' | 'minus' | 'test' | 'text'
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
    const match = TOKENS.exec(text)
    if (!match) break
    tokens.push(tokenOf(match))
  }
  return tokens
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
    return token.kind === 'test' ? testOf(token) : { field: 'content', operator: 'contains', value: token.value }
  }
  const filter = alternatives()
  if (at < tokens.length) throw new FilterError('There is a “)” too many.')
  return filter
}

interface Field {
  /** What the value may be compared by. */
  kind: 'choice' | 'id' | 'text' | 'number' | 'duration'
  field: string
  key?: string
  /** For the list of completions. */
  about: string
  /** The values of a choice. */
  values?: readonly string[]
}

const amount = (key: string, kind: Field['kind'], about: string): Field => ({ kind, field: 'attributes', key, about })

const TYPES = [
  ...['agent', 'chain', 'workflow', 'task', 'tool', 'embedding', 'query', 'llm', 'completion', 'chat', 'rerank'],
  'unknown',
]

/** The fields of the filter line, by name. */
export const FIELDS: Readonly<Record<string, Field>> = {
  type: { kind: 'choice', field: 'span_type', about: 'type of the span', values: TYPES },
  kind: {
    kind: 'choice',
    field: 'trace_type',
    about: 'kind of trace',
    values: ['invocation', 'annotation', 'unknown'],
  },
  status: { kind: 'choice', field: 'status_code', about: 'status of the span', values: ['ok', 'error', 'unset'] },
  name: { kind: 'text', field: 'span_name', about: 'name; = is exact, : finds a part' },
  user: { kind: 'id', field: 'user_id', about: 'user' },
  session: { kind: 'id', field: 'session_id', about: 'session' },
  agent: { kind: 'id', field: 'agent_id', about: 'agent' },
  trace: { kind: 'id', field: 'trace_id', about: 'trace id' },
  duration: amount('ag.metrics.duration.cumulative', 'duration', 'total duration, such as >2s'),
  tokens: amount('ag.metrics.tokens.cumulative.total', 'number', 'total tokens, such as >1000'),
  cost: amount('ag.metrics.costs.cumulative.total', 'number', 'total cost in USD, such as >0.01'),
  errors: amount('ag.metrics.errors.cumulative', 'number', 'errors in it and below, such as >0'),
}

/** The name in the filter line of a field of the interface. */
export const nameOfField = (field: string): string | undefined =>
  Object.keys(FIELDS).find(name => FIELDS[name]?.field === field && FIELDS[name]?.key === undefined)

const RELATIONS: Readonly<Record<string, string>> = { '>': 'gt', '>=': 'gte', '<': 'lt', '<=': 'lte' }

function testOf({ field: name = '', operator = ':', value }: Token): Condition | Group {
  const field = FIELDS[name]
  if (value === '') throw new FilterError(`${name}${operator} needs a value.`)
  const relation = RELATIONS[operator]
  if (operator === '!=')
    return { operator: 'not', conditions: [testOf({ kind: 'test', field: name, operator: '=', value })] }
  if (!field) return { field: 'attributes', key: name, operator: relation ?? 'is', value: scalarOf(value) }
  const { kind, key } = field
  const place = { field: field.field, ...(key !== undefined && { key }) }
  if (kind === 'number' || kind === 'duration')
    return {
      ...place,
      operator: relation ?? 'eq',
      value: kind === 'number' ? numberOf(name, value) : msOf(name, value),
    }
  if (relation) throw new FilterError(`${name} takes : or =, not ${operator}.`)
  if (kind === 'text') return { ...place, operator: operator === '=' ? 'is' : 'contains', value }
  if (kind === 'id') return { ...place, operator: 'is', value }
  return { ...place, operator: 'is', value: choiceOf(name, field, value) }
}

function choiceOf(name: string, { field, values = [] }: Field, value: string): string {
  const found = values.find(one => one === value.toLowerCase())
  if (found === undefined) throw new FilterError(`${name} is one of ${values.join(', ')}.`)
  return field === 'status_code' ? `STATUS_CODE_${found.toUpperCase()}` : found
}

const scalarOf = (value: string): string | number | boolean => {
  if (value === 'true' || value === 'false') return value === 'true'
  return /^-?\d{1,15}(\.\d{1,15})?$/.test(value) ? Number(value) : value
}

function numberOf(name: string, value: string): number {
  const number = Number(value.replace(/^\$/, ''))
  if (value === '' || !Number.isFinite(number)) throw new FilterError(`${name} needs a number, not “${value}”.`)
  return number
}

const UNITS: Readonly<Record<string, number>> = { '': 1, ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

function msOf(name: string, value: string): number {
  const [, number, unit = ''] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(value) ?? []
  if (number === undefined) throw new FilterError(`${name} needs a time such as 250ms or 2s, not “${value}”.`)
  return Number(number) * (UNITS[unit] ?? 1)
}

/** A term that selects exactly one value of a field. */
export function termOf(field: string, value: string): string {
  const name = nameOfField(field) ?? field
  const shown = field === 'status_code' ? value.replace('STATUS_CODE_', '').toLowerCase() : value
  const operator = FIELDS[name]?.kind === 'text' ? '=' : ':'
  return `${name}${operator}${/^[^\s"()\\]+$/.test(shown) ? shown : `"${shown.replace(/["\\]/g, '\\$&')}"`}`
}

/** Whether a text has a term, as it is or negated. */
export const hasTerm = (text: string, term: string): boolean => splitTerms(text).includes(term)

/** Adds a term to a text, or removes it; the opposite of it is removed in any case. */
export function toggleTerm(text: string, term: string): string {
  const opposite = term.startsWith('-') ? term.slice(1) : `-${term}`
  const terms = splitTerms(text)
  const rest = terms.filter(one => one !== opposite && one !== term)
  return (terms.includes(term) ? rest : [...rest, term]).join(' ')
}

/** The texts between spaces that stand neither in quotes nor in brackets. */
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
    if (!isQuoted && character === '(') depth++
    if (!isQuoted && character === ')') depth--
    if (character === ' ' && !isQuoted && depth <= 0) {
      if (term !== '') terms.push(term)
      term = ''
    } else term += character
  }
  return term === '' ? terms : [...terms, term]
}
