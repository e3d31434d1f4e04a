import type { Json, JsonObject } from '@spanhouse/model'
import { memberOf } from '../path.ts'
import { missingVariables, Rendering, TemplateFault, valueAtTemplatePath } from './template.ts'
import { textForm } from './text-form.ts'

/**
 * Placeholders only: `{{name}}`, `{{a.b}}`, `{{$.a.b}}`, `{{/a/b}}`. Each ends at the first `}}` on its line; values
 * are inserted without looking for placeholders in them. Throws a fault that names every variable without a value.
 */
export function renderCurly(template: string, context: JsonObject): string {
  const rendering = new Rendering()
  const missing: string[] = []
  let end = 0
  for (const { from, to, name } of placeholdersIn(template)) {
    rendering.step()
    rendering.add(template.slice(end, from))
    const value = valueNamed(name, context)
    if (value === undefined) missing.push(name)
    else rendering.add(textForm(value))
    end = to
  }
  if (missing.length > 0) throw missingVariables(missing)
  rendering.add(template.slice(end))
  return rendering.text
}

interface Placeholder {
  from: number
  to: number
  name: string
}

/**
 * In one pass: the next closing braces and the next line break are searched once, however many braces open before them.
 */
function* placeholdersIn(template: string): Iterable<Placeholder> {
  let close = -1
  let lineEnd = -1
  for (let from = template.indexOf('{{'); from >= 0; ) {
    if (close < from + 2) close = template.indexOf('}}', from + 2)
    if (close < 0) return
    if (lineEnd < from) lineEnd = endOfLine(template, from)
    if (lineEnd < close) {
      from = template.indexOf('{{', lineEnd)
      continue
    }
    yield { from, to: close + 2, name: template.slice(from + 2, close).trim() }
    from = template.indexOf('{{', close + 2)
  }
}

function endOfLine(template: string, from: number): number {
  const at = template.indexOf('\n', from)
  return at < 0 ? template.length : at
}

function valueNamed(name: string, context: JsonObject): Json | undefined {
  if (name === '') throw new TemplateFault('Empty placeholder: it must name a variable')
  if (name.startsWith('$') || name.startsWith('/')) return valueAtTemplatePath(context, name)
  const whole = memberOf(context, name)
  if (whole !== undefined) return whole
  if (name.includes('[') || name.includes(']'))
    throw new TemplateFault(`Brackets are not supported in '${name}': write an index as in 'items.0'`)
  return name.split('.').reduce<Json | undefined>((value, step) => memberOf(value, step), context)
}
