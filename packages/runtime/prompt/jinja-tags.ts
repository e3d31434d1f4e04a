/** A piece of a Jinja template: an expression that prints a value, a statement, or anything else, unchanged. */
export type JinjaTag =
  | { kind: 'expression'; text: string; open: string; expression: string; close: string }
  | { kind: 'statement' | 'other'; text: string }

const RAW = /^\{%[-+]?\s*raw\s*[-+]?%\}/
const END_RAW = /\{%[-+]?\s*endraw\s*[-+]?%\}/g

/**
 * Cuts a template into `{{ }}` expressions, `{% %}` statements and what is around them; raw blocks and comments are not
 * looked into.
 */
export function jinjaTags(template: string): JinjaTag[] {
  const tags: JinjaTag[] = []
  let other = 0
  for (let at = template.indexOf('{'); at >= 0; ) {
    const opening = template.slice(at, at + 2)
    if (!(opening in BLOCKS)) {
      at = template.indexOf('{', at + 1)
      continue
    }
    const end = BLOCKS[opening as keyof typeof BLOCKS](template, at)
    // The engine will say what is never closed.
    if (end === undefined) break
    const text = template.slice(at, end)
    if (opening === '{{' || (opening === '{%' && !RAW.test(text))) {
      if (at > other) tags.push({ kind: 'other', text: template.slice(other, at) })
      tags.push(opening === '{{' ? expressionTag(text) : { kind: 'statement', text })
      other = end
    }
    at = template.indexOf('{', end)
  }
  if (other < template.length) tags.push({ kind: 'other', text: template.slice(other) })
  return tags
}

/** From where a block opens to the place behind its end; undefined when it has none. */
const BLOCKS = {
  '{{': (template: string, at: number) => behindCode(template, at + 2, '}}'),
  '{#': (template: string, at: number) => behind(template, '#}', at + 2),
  '{%': (template: string, at: number) => {
    const raw = RAW.exec(template.slice(at, at + 40))
    return raw ? behindRaw(template, at + raw[0].length) : behindCode(template, at + 2, '%}')
  },
}

function behind(template: string, closing: string, from: number): number | undefined {
  const at = template.indexOf(closing, from)
  return at < 0 ? undefined : at + closing.length
}

function behindRaw(template: string, from: number): number | undefined {
  END_RAW.lastIndex = from
  return END_RAW.exec(template) ? END_RAW.lastIndex : undefined
}

/** Texts in quotes are skipped, and braces that open inside must close before the block does. */
function behindCode(template: string, from: number, closing: string): number | undefined {
  let open = 0
  for (let at = from; at < template.length; at++) {
    const sign = template[at]
    if (sign === '"' || sign === "'") at = endOfQuoted(template, at)
    else if (open === 0 && template.startsWith(closing, at)) return at + 2
    else if (sign === '{') open++
    else if (sign === '}') open--
  }
  return undefined
}

function endOfQuoted(template: string, from: number): number {
  for (let at = from + 1; at < template.length; at++) {
    if (template[at] === '\\') at++
    else if (template[at] === template[from]) return at
  }
  return template.length
}

/** Texts in quotes, numbers, and names or closing brackets with the indexes behind them. */
const TOKENS =
  /"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|\d[\p{L}\p{N}_.]*|([\p{L}_][\p{L}\p{N}_]*|[\])])((?:\.\d+(?![\p{L}\p{N}_]))+)?/gsu

/** Code with indexes as the engine reads them: `items[0].name` for `items.0.name`. */
export const withIndexes = (code: string): string =>
  code.replace(TOKENS, (token: string, name?: string, indexes?: string) =>
    name !== undefined && indexes !== undefined ? name + indexes.replace(/\.(\d+)/g, '[$1]') : token,
  )

function expressionTag(text: string): JinjaTag {
  const start = /[-+]/.test(text[2] ?? '') && text.length > 4 ? 3 : 2
  const end = /[-+]/.test(text.at(-3) ?? '') && text.length - 3 > start ? 3 : 2
  return {
    kind: 'expression',
    text,
    open: text.slice(0, start),
    expression: text.slice(start, -end).trim(),
    close: text.slice(-end),
  }
}
