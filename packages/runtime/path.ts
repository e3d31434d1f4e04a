import { invalid, isJsonObject, type Json, type Problem } from '@spanhouse/model'

/** The maximum number of values that a step of a path, or all its steps together, may select. */
const SELECTED_MAX = 100_000
const SELECTED_IN_ALL_MAX = 1_000_000

/**
 * The value at a path in a document, undefined if there is none. Three notations:
 *
 * - dotted, `a.b.0`: digits are an index in a list; a member whose name is the whole path takes precedence;
 * - JSON Pointer (RFC 6901), `/a/b/0`;
 * - JSONPath (RFC 9535 without filters, and with one selector in a bracket), `$.a['b'][0]`, `$..a`, `$.a[*]`,
 *   `$.a[1:3]`: one hit is that value, several are a list.
 *
 * The empty path is the document itself. Throws a 400 for a path that selects too much. A JSONPath that cannot be read
 * selects nothing; {@link mistakeInPath} tells the two apart.
 */
export function valueAtPath(document: Json, path: string): Json | undefined {
  if (path === '') return document
  if (path.startsWith('/')) return follow(document, path.slice(1).split('/').map(unescaped))
  if (path.startsWith('$')) return soleOf(select(document, path))
  const member = memberOf(document, path)
  return member === undefined ? follow(document, path.split('.')) : member
}

/** Why a path cannot be read, as in "cannot be read as a JSONPath"; null if it can. */
export function mistakeInPath(path: string): string | null {
  if (!path.startsWith('$') || stepsOf(path.slice(1))) return null
  return /\[\s*\?/.test(path) ? 'has a filter, and filters are not supported' : 'cannot be read as a JSONPath'
}

const unescaped = (step: string): string => step.replaceAll('~1', '/').replaceAll('~0', '~')

const follow = (document: Json, steps: readonly string[]): Json | undefined =>
  steps.reduce<Json | undefined>((value, step) => memberOf(value, step), document)

/** A member of an object, or an element of a list by its decimal index. Undefined if there is none. */
export function memberOf(value: Json | undefined, step: string): Json | undefined {
  if (Array.isArray(value)) return /^(0|[1-9]\d{0,8})$/.test(step) ? value[Number(step)] : undefined
  return isJsonObject(value) && Object.hasOwn(value, step) ? value[step] : undefined
}

const soleOf = (hits: Json[]): Json | undefined => (hits.length > 1 ? hits : hits[0])

/** One step of a JSONPath: the values it selects from a value. */
type Step = (value: Json) => Json[]

function select(document: Json, path: string): Json[] {
  const steps = stepsOf(path.slice(1))
  if (!steps) return []
  let values = [document]
  let selected = 0
  for (const step of steps) {
    values = stepAll(values, step)
    selected += values.length
    if (selected > SELECTED_IN_ALL_MAX) throw tooMany(SELECTED_IN_ALL_MAX)
  }
  return values
}

function stepAll(values: readonly Json[], step: Step): Json[] {
  const selected: Json[] = []
  for (const value of values) {
    for (const one of step(value)) selected.push(one)
    if (selected.length > SELECTED_MAX) throw tooMany(SELECTED_MAX)
  }
  return selected
}

const tooMany = (max: number): Problem => invalid(`The path selects more than ${max} values.`)

const STEP =
  /(?<deep>\.\.)|\.(?<name>[^.[\]*\s]+)|(?<all>\.\*)|\[\s*(?:'(?<single>(?:[^'\\]|\\.)*)'|"(?<double>(?:[^"\\]|\\.)*)")\s*\]|\[(?<inside>[^\]'"]*)\]/y
const BARE = /(?<name>[^.[\]*\s]+)|(?<all>\*)/y
const INTEGER = /^-?\d+$/
const BOUND = /^-?\d*$/

/** Undefined if the text is not a JSONPath. */
function stepsOf(text: string): Step[] | undefined {
  const steps: Step[] = []
  let at = 0
  let isBare = false
  while (at < text.length) {
    // After two dots a name stands without another one.
    const match = matchAt(isBare && text[at] !== '[' ? BARE : STEP, text, at)
    if (!match?.groups) return undefined
    at += match[0].length
    isBare = match.groups.deep !== undefined
    const step = stepOf(match.groups)
    if (!step) return undefined
    steps.push(step)
  }
  return isBare ? undefined : steps
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}

function stepOf({ deep, name, all, single, double, inside }: Record<string, string | undefined>): Step | undefined {
  if (deep !== undefined) return withDescendants
  if (all !== undefined) return childrenOf
  if (inside !== undefined) return stepInBrackets(inside)
  const key = name ?? (single ?? double ?? '').replace(/\\(.)/g, '$1')
  return value => (isJsonObject(value) && Object.hasOwn(value, key) ? present(value[key]) : [])
}

/** An index, a slice or `*`, with blanks around each part. */
function stepInBrackets(inside: string): Step | undefined {
  const parts = inside.split(':', 4).map(part => part.trim())
  const [index = ''] = parts
  if (parts.length === 1) {
    if (index === '*') return childrenOf
    return INTEGER.test(index) ? value => (Array.isArray(value) ? present(value.at(Number(index))) : []) : undefined
  }
  return parts.length <= 3 && parts.every(part => BOUND.test(part)) ? value => sliceOf(value, parts) : undefined
}

const present = (value: Json | undefined): Json[] => (value === undefined ? [] : [value])

function childrenOf(value: Json): Json[] {
  if (Array.isArray(value)) return value
  return isJsonObject(value) ? Object.values(value) : []
}

/** The value and everything below it, parents first. */
function withDescendants(value: Json): Json[] {
  const found = [value]
  for (const one of found) {
    for (const child of childrenOf(one)) found.push(child)
    if (found.length > SELECTED_MAX) throw tooMany(SELECTED_MAX)
  }
  return found
}

function sliceOf(value: Json, [from = '', to = '', step = '']: string[]): Json[] {
  if (!Array.isArray(value)) return []
  const every = step.trim() === '' ? 1 : Number(step)
  if (every === 0) return []
  const ordered = every > 0 ? value : value.toReversed()
  const place = (text: string, missing: number): number => {
    if (text.trim() === '') return missing
    const number = Number(text)
    const fromStart = number < 0 ? value.length + number : number
    return every > 0 ? fromStart : value.length - 1 - fromStart
  }
  const [first, end] = [Math.max(0, place(from, 0)), Math.max(0, place(to, value.length))]
  return ordered.slice(first, end).filter((_, place) => place % Math.abs(every) === 0)
}
