import { isJsonObject, isRawJson, type Json, type JsonObject, parseJson } from '@spanhouse/model'

/** Characters of a preview: more than the widest screen shows. */
const CHARACTERS_MAX = 300

/** Members that hold what a person said or was told, in the order in which they are looked for. */
const TELLING = [
  'messages',
  'prompt',
  'completion',
  'content',
  'question',
  'query',
  'input',
  'output',
  'text',
  'answer',
]

/**
 * The beginning of what an input or output says, on one line: of a chat the newest message, of an object its most
 * telling member. `json` is JSON text, or its two ends with a line feed between them if it is long. Undefined: nothing.
 */
export function previewOf(json: string): string | undefined {
  if (json === '') return undefined
  const cut = json.indexOf('\n')
  const said = cut < 0 ? sayingOf(parseJson(json)) : sayingOfEnds(json.slice(0, cut), json.slice(cut + 1))
  const line = said.replace(/\s+/g, ' ').trim()
  if (line === '') return undefined
  return line.length > CHARACTERS_MAX ? `${line.slice(0, CHARACTERS_MAX).toWellFormed()}…` : line
}

/** Levels that are looked into: the text of a message stands at the fifth. */
const DEPTH_MAX = 8

function sayingOf(value: Json, depth = 0): string {
  if (typeof value === 'string') return messageIn(value, depth) || value
  if (isRawJson(value)) return value.rawJSON
  if (value === null || depth === DEPTH_MAX) return ''
  if (Array.isArray(value)) return firstSaying(partsThatTell(value).toReversed(), depth)
  if (!isJsonObject(value)) return String(value)
  const telling = firstSaying(
    TELLING.map(name => value[name] ?? null),
    depth,
  )
  return telling || namedSayings(value, depth)
}

/** How a message begins that was sent as JSON text. */
const MESSAGE = /^\{"(?:role|content)":/

/** What such a message says; undefined if it is none. */
function messageIn(text: string, depth: number): string | undefined {
  if (!MESSAGE.test(text)) return undefined
  try {
    return sayingOf(parseJson(text), depth + 1)
  } catch {
    return undefined
  }
}

/** Of the parts of a message those with text, if there are any: not its images. */
function partsThatTell(list: readonly Json[]): readonly Json[] {
  const texts = list.filter(part => isJsonObject(part) && typeof part.text === 'string')
  return texts.length > 0 ? texts : list
}

function firstSaying(values: readonly Json[], depth: number): string {
  for (const one of values) {
    const said = sayingOf(one, depth + 1)
    if (said !== '') return said
  }
  return ''
}

function namedSayings(object: JsonObject, depth: number): string {
  const members = Object.entries(object).map(([name, one]) => [name, sayingOf(one, depth + 1)] as const)
  if (members.length === 1) return members[0]?.[1] ?? ''
  return members
    .filter(([, said]) => said !== '')
    .map(([name, said]) => `${name}: ${said.slice(0, CHARACTERS_MAX)}`)
    .join(', ')
}

/** Members that hold the text of a message, or of a part of one. */
const TEXTS = /"(?:content|text)":"/g

/**
 * Of a text that cannot be parsed, because its middle is missing: the last message in it, or its first text. A message that
 * begins in the middle is not seen, so one of the start may be shown for it.
 */
function sayingOfEnds(start: string, end: string): string {
  const from = lastTextIn(end)
  if (from !== undefined) return textAt(end, from)
  const early = lastTextIn(start)
  if (early !== undefined) return textAt(start, early)
  if (start.startsWith('"')) return beginningOf(textAt(start, 1))
  const first = start.indexOf(':"') + 1
  return first > 0 ? textAt(start, first + 1) : start
}

/** Of a text whose end is missing; of a message as JSON text what it says. */
function beginningOf(text: string): string {
  const from = MESSAGE.test(text) ? lastTextIn(text) : undefined
  return from === undefined ? text : textAt(text, from)
}

/** Where the last text of a message begins. */
function lastTextIn(json: string): number | undefined {
  const last = [...json.matchAll(TEXTS)].at(-1)
  return last && last.index + last[0].length
}

/** The JSON string whose first character stands at an index, as far as it is there. */
function textAt(json: string, from: number): string {
  let at = from
  while (at < json.length && json[at] !== '"') at += json[at] === '\\' ? 2 : 1
  const text = json.slice(from, at)
  const backslash = text.lastIndexOf('\\')
  // A cut may fall into an escape.
  for (const candidate of [text, text.slice(0, Math.max(0, backslash))])
    try {
      return parseJson(`"${candidate}"`) as string
    } catch {}
  return text
}
