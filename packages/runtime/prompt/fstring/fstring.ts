import type { Json, JsonObject } from '@spanhouse/model'
import { beginningOf } from '../../code-points.ts'
import { memberOf } from '../../path.ts'
import { missingVariables, Rendering, TemplateFault } from '../template.ts'
import { CONVERSIONS, formatValue } from './format-value.ts'

/**
 * The replacement fields of Python's `str.format` over JSON: `{name}`, `{name[key]}`, `{name!r}`, `{name:>10}`,
 * `{name:>{width}}`; `{{` and `}}` are braces. Attributes and positions are refused, since JSON values have none.
 * Throws a fault that names every missing variable.
 *
 * See https://docs.python.org/3/library/string.html#format-string-syntax.
 */
export function renderFstring(template: string, context: JsonObject): string {
  const missing: string[] = []
  const text = expanded(template, { context, missing, isSpecifier: false })
  if (missing.length > 0) throw missingVariables(missing)
  return text
}

interface Place {
  context: JsonObject
  /** The variables without a value so far. */
  missing: string[]
  /** Whether the text is the specifier of a field: the fields in it have plain ones. */
  isSpecifier: boolean
}

function expanded(template: string, place: Place): string {
  const rendering = new Rendering()
  for (let at = 0; at < template.length; ) {
    const brace = nextBrace(template, at)
    rendering.add(template.slice(at, brace))
    if (brace === template.length) break
    if (template[brace] === template[brace + 1]) {
      rendering.add(template[brace] as string)
      at = brace + 2
      continue
    }
    if (template[brace] === '}') throw new TemplateFault("Single '}' in the template: write '}}' for a brace")
    rendering.step()
    const field = parseField(template, brace + 1)
    rendering.add(fieldText(field, place))
    at = field.end
  }
  return rendering.text
}

function nextBrace(template: string, from: number): number {
  for (let at = from; at < template.length; at++) if (template[at] === '{' || template[at] === '}') return at
  return template.length
}

interface Field {
  /** The name of a variable and the keys behind it. */
  path: string
  convert(value: Json): Json
  specifier: string
  /** Behind the closing brace. */
  end: number
}

/** The field that begins behind a brace. */
function parseField(template: string, from: number): Field {
  let at = endOfPath(template, from)
  const path = template.slice(from, at)
  const conversion = template[at] === '!' ? template.charAt(at + 1) : ''
  if (template[at] === '!') at += 2
  const convert = CONVERSIONS.get(conversion)
  const end = template[at] === ':' ? endOfSpecifier(template, at + 1) : at
  if (end >= template.length) throw neverClosed()
  if (!convert || template[end] !== '}') throw new TemplateFault(`Unknown conversion '!${conversion}'`)
  return { path, convert, specifier: template.slice(at + 1, end), end: end + 1 }
}

function endOfPath(template: string, from: number): number {
  for (let at = from; at < template.length; at++) {
    const sign = template[at]
    if (sign === '}' || sign === ':' || sign === '!') return at
    if (sign === '{') throw new TemplateFault("'{' in the name of a variable: write '{{' for a brace")
    if (sign !== '[') continue
    at = template.indexOf(']', at)
    if (at < 0) break
  }
  throw neverClosed()
}

/** The brace that closes the field: those in the specifier come in pairs. */
function endOfSpecifier(template: string, from: number): number {
  let open = 1
  for (let at = from; at < template.length; at++) {
    if (template[at] === '{') open++
    else if (template[at] === '}' && --open === 0) return at
  }
  return template.length
}

const neverClosed = (): TemplateFault => new TemplateFault("'{' is never closed: write '{{' for a brace")

/** Empty once a variable is missing. */
function fieldText({ path, convert, specifier }: Field, place: Place): string {
  const value = valueAt(path, place.context)
  if (value === undefined) place.missing.push(path)
  const hasFields = specifier.includes('{')
  if (hasFields && place.isSpecifier) throw new TemplateFault('A format specifier has fields in fields')
  const plain = hasFields ? expanded(specifier, { ...place, isSpecifier: true }) : specifier
  if (value === undefined || place.missing.length > 0) return ''
  return formatValue(convert(value), plain)
}

const PATH = /^(?<name>[^.[]*)(?<keys>(?:\[[^\]]+\])*)(?<rest>.?)/s

function valueAt(path: string, context: JsonObject): Json | undefined {
  const { name = '', keys = '', rest = '' } = PATH.exec(path)?.groups ?? {}
  if (name === '') throw new TemplateFault('Empty placeholder: it must name a variable')
  if (/^\d+$/.test(name)) throw new TemplateFault(`Positions are not supported: '{${path}}' must name a variable`)
  if (rest === '.')
    throw new TemplateFault(`Attributes are not supported in '{${path}}': write a member as in '{name[member]}'`)
  if (rest !== '') throw new TemplateFault(`'{${path}}' is not a replacement field`)
  const steps = keys === '' ? [] : keys.slice(1, -1).split('][')
  return steps.reduce<Json | undefined>(itemOf, memberOf(context, name))
}

/** A member, an element by its index, or a character of a text. */
function itemOf(value: Json | undefined, key: string): Json | undefined {
  const isIndex = /^\d{1,9}$/.test(key)
  if (typeof value === 'string') return isIndex ? characterAt(value, Number(key)) : undefined
  return Array.isArray(value) ? (isIndex ? value[Number(key)] : undefined) : memberOf(value, key)
}

function characterAt(text: string, index: number): string | undefined {
  const point = text.codePointAt(beginningOf(text, index).length)
  return point === undefined ? undefined : String.fromCodePoint(point)
}
