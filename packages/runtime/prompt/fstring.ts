import type { Json, JsonObject } from '@spanhouse/model'
import { formatLocale } from 'd3-format'
import { memberOf, missingVariables, Rendering, TemplateFault } from './template.ts'
import { textForm } from './text-form.ts'

/** Numbers as Python formats them; d3's specifiers are Python's. */
const NUMBERS = formatLocale({
  decimal: '.',
  thousands: ',',
  grouping: [3],
  currency: ['', ''],
  minus: '-',
  percent: '%',
})

const WIDTH_MAX = 10_000

/**
 * The replacement fields of Python's `str.format` over JSON: `{name}`, `{name[key]}`, `{name!r}`, `{name:>10}`; `{{`
 * and `}}` are braces. Attributes are refused, since JSON values have none. Throws a fault that names every missing
 * variable.
 *
 * See https://docs.python.org/3/library/string.html#format-string-syntax.
 */
export function renderFstring(template: string, context: JsonObject): string {
  const rendering = new Rendering()
  const missing: string[] = []
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
    const end = template.indexOf('}', brace)
    if (end < 0) throw new TemplateFault("'{' is never closed: write '{{' for a brace")
    rendering.step()
    addField(parseField(template.slice(brace + 1, end)), context, { rendering, missing })
    at = end + 1
  }
  if (missing.length > 0) throw missingVariables(missing)
  return rendering.text
}

function nextBrace(template: string, from: number): number {
  for (let at = from; at < template.length; at++) if (template[at] === '{' || template[at] === '}') return at
  return template.length
}

interface Field {
  name: string
  keys: string[]
  conversion: string
  specifier: string
}

function parseField(text: string): Field {
  const parts = /^(?<name>[^.[!:]*)(?<keys>(?:\[[^\]]*\])*)(?:!(?<conversion>[^:]*))?(?::(?<specifier>.*))?$/s.exec(
    text,
  )
  const { name = '', keys = '', conversion = '', specifier = '' } = parts?.groups ?? {}
  if (!parts) {
    const isAttribute = /^[^[!:]*\./.test(text)
    throw new TemplateFault(
      isAttribute
        ? `Attributes are not supported in '{${text}}': write a member as in '{name[member]}'`
        : `'{${text}}' is not a replacement field`,
    )
  }
  if (name === '') throw new TemplateFault('Empty placeholder: it must name a variable')
  if (!['', 's', 'r', 'a'].includes(conversion)) throw new TemplateFault(`Unknown conversion '!${conversion}'`)
  return { name, keys: keys === '' ? [] : keys.slice(1, -1).split(']['), conversion, specifier }
}

function addField(field: Field, context: JsonObject, into: { rendering: Rendering; missing: string[] }): void {
  const value = field.keys.reduce<Json | undefined>(memberOf, memberOf(context, field.name))
  if (value === undefined) into.missing.push([field.name, ...field.keys.map(key => `[${key}]`)].join(''))
  else into.rendering.add(formatted(value, field))
}

function formatted(value: Json, { conversion, specifier }: Field): string {
  if (conversion === 'r' || conversion === 'a') return aligned(JSON.stringify(value), specifier)
  if (specifier === '') return textForm(value)
  return typeof value === 'number' && conversion === '' ? number(value, specifier) : aligned(textForm(value), specifier)
}

function number(value: number, specifier: string): string {
  if (Number(/[1-9]\d*/.exec(specifier.replace(/\.\d+/, ''))?.[0] ?? 0) > WIDTH_MAX) throw tooWide()
  try {
    return NUMBERS.format(specifier)(value)
  } catch {
    throw new TemplateFault(`Invalid format specifier ':${specifier}' for a number`)
  }
}

const TEXT_SPECIFIER = /^(?:(?<fill>.)?(?<align>[<>^]))?(?<width>\d{1,9})?(?:\.(?<precision>\d{1,9}))?s?$/su

function aligned(text: string, specifier: string): string {
  const groups = TEXT_SPECIFIER.exec(specifier)?.groups
  if (!groups) throw new TemplateFault(`Invalid format specifier ':${specifier}' for a text`)
  const { fill = ' ', align = '<', width = '0', precision } = groups
  const units = [...text].slice(0, precision === undefined ? undefined : Number(precision))
  if (Number(width) > WIDTH_MAX) throw tooWide()
  const padding = Math.max(0, Number(width) - units.length)
  const before = align === '>' ? padding : align === '^' ? Math.floor(padding / 2) : 0
  return fill.repeat(before) + units.join('') + fill.repeat(padding - before)
}

const tooWide = (): TemplateFault => new TemplateFault(`A field is wider than ${WIDTH_MAX} characters`)
