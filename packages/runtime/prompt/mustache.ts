import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'
import mustache from 'mustache'
import { memberOf } from '../path.ts'
import { Rendering, TemplateFault, valueAtJsonPath } from './template.ts'
import { textForm } from './text-form.ts'

/** The library's cache of parsed templates never forgets one. */
mustache.templateCache = undefined

const NESTED_MAX = 100

/** `[symbol, value, from, to, tokens inside a section]`, as the library's parser returns them. */
type Token = [symbol: string, value: string, from: number, to: number, inside?: Token[]]

/** The value a section stands in, and what is around it. */
interface Scope {
  value: Json
  outer?: Scope
}

/**
 * Mustache without HTML escaping, partials and lambdas. A tag that begins with `$` is a JSONPath into the context. The
 * library parses; values are looked up here, since its own look-up follows prototypes and calls functions.
 */
export function renderMustache(template: string, context: JsonObject): string {
  if (template.includes('\0')) throw new TemplateFault('The template contains a NUL character')
  const rendering = new Rendering()
  renderTokens(parse(template), { scope: { value: context }, context, rendering, depth: 0 })
  return rendering.text
}

function parse(template: string): Token[] {
  try {
    return mustache.parse(template) as unknown as Token[]
  } catch (error) {
    throw new TemplateFault(error instanceof Error ? error.message : String(error))
  }
}

interface Place {
  scope: Scope
  context: JsonObject
  rendering: Rendering
  depth: number
}

function renderTokens(tokens: readonly Token[], place: Place): void {
  if (place.depth > NESTED_MAX) throw new TemplateFault(`Sections are nested more than ${NESTED_MAX} deep`)
  for (const token of tokens) renderToken(token, place)
}

function renderToken([symbol, name, , , inside = []]: Token, place: Place): void {
  if (symbol === 'text') place.rendering.add(name)
  else if (symbol === '>') throw new TemplateFault(`Partials are not supported: '{{> ${name}}}'`)
  else if (symbol !== '!' && symbol !== '=') renderTag(symbol, name, { inside, place })
}

function renderTag(symbol: string, name: string, { inside, place }: { inside: Token[]; place: Place }): void {
  if (name === '') throw new TemplateFault('Empty tag: a placeholder must name a variable')
  place.rendering.step()
  const value = name.startsWith('$') ? valueAtJsonPath(place.context, name) : lookUp(place.scope, name)
  if (symbol === '#') renderSection(value, inside, place)
  else if (symbol !== '^') place.rendering.add(value === undefined || value === null ? '' : textForm(value))
  else if (isEmpty(value)) renderTokens(inside, { ...place, depth: place.depth + 1 })
}

function renderSection(value: Json | undefined, inside: readonly Token[], place: Place): void {
  if (value === undefined || isEmpty(value)) return
  const items = Array.isArray(value) ? value : [value]
  for (const item of items) {
    place.rendering.step()
    renderTokens(inside, { ...place, scope: { value: item, outer: place.scope }, depth: place.depth + 1 })
  }
}

const isEmpty = (value: Json | undefined): boolean =>
  value === undefined || value === null || value === false || value === '' || value === 0 || isEmptyList(value)

const isEmptyList = (value: Json): boolean => Array.isArray(value) && value.length === 0

/** The first part of a dotted name is searched from the inside out, the rest only below it. */
function lookUp(scope: Scope, name: string): Json | undefined {
  if (name === '.') return scope.value
  const [first = '', ...rest] = name.split('.')
  for (let at: Scope | undefined = scope; at; at = at.outer) {
    if (!isJsonObject(at.value) && !Array.isArray(at.value)) continue
    const found = memberOf(at.value, first)
    if (found !== undefined) return rest.reduce<Json | undefined>((value, step) => memberOf(value, step), found)
  }
  return undefined
}
