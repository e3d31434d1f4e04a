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
  // Of a message of LangChain.
  'kwargs',
]

/**
 * The beginning of what an input or output says, on one line: of a chat the newest text, of an object its most telling
 * member. `json` is JSON text, or what a `PreviewRow` has of a long one. Undefined: nothing.
 */
export function previewOf(json: string): string | undefined {
  if (json === '') return undefined
  const cut = json.indexOf('\n')
  const said = cut < 0 ? sayingOf(parseJson(json)) : sayingOfLong(json.slice(0, cut), json.slice(cut + 1))
  const line = said.replace(/\s+/g, ' ').trim()
  if (line === '') return undefined
  return line.length > CHARACTERS_MAX ? `${line.slice(0, CHARACTERS_MAX).toWellFormed()}…` : line
}

/** Levels that are looked into: the text of a message stands at the fifth. */
const DEPTH_MAX = 8

/** Of a list its last element that tells something: an image or a call after a text does not. */
function sayingOf(value: Json, depth = 0): string {
  const telling = tellingOf(value, depth)
  if (telling !== '' || depth === DEPTH_MAX) return telling
  if (Array.isArray(value)) return firstOf(value.toReversed(), one => sayingOf(one, depth + 1))
  return isJsonObject(value) ? namedSayings(value, depth) : ''
}

/** What is said at the places that are meant for it. */
function tellingOf(value: Json, depth: number): string {
  if (typeof value === 'string') return sayingOfText(value, depth)
  if (isRawJson(value)) return value.rawJSON
  if (value === null || depth === DEPTH_MAX) return ''
  const inner = (one: Json): string => tellingOf(one, depth + 1)
  if (Array.isArray(value)) return firstOf(value.toReversed(), inner)
  if (!isJsonObject(value)) return String(value)
  return firstOf(
    TELLING.map(name => value[name] ?? null),
    inner,
  )
}

function firstOf(values: readonly Json[], say: (value: Json) => string): string {
  for (const one of values) {
    const said = say(one)
    if (said !== '') return said
  }
  return ''
}

/** Clients often send a message as a text of JSON. */
function sayingOfText(text: string, depth: number): string {
  if (depth === DEPTH_MAX || !JSON_BEGINS.test(text)) return text
  try {
    return sayingOf(parseJson(text), depth + 1) || text
  } catch {
    return text
  }
}

const JSON_BEGINS = /^\s*[[{]/

function namedSayings(object: JsonObject, depth: number): string {
  const members = Object.entries(object).map(([name, one]) => [name, sayingOf(one, depth + 1)] as const)
  if (members.length === 1) return members[0]?.[1] ?? ''
  return members
    .filter(([, said]) => said !== '')
    .map(([name, said]) => `${name}: ${said.slice(0, CHARACTERS_MAX).toWellFormed()}`)
    .join(', ')
}

/** Of a text that cannot be parsed, because only its beginning is here: its newest text, or its most telling one. */
function sayingOfLong(start: string, newest: string): string {
  if (start.startsWith('"')) {
    const inner = textAt(start, 1)
    return JSON_BEGINS.test(inner) ? sayingOfLong(inner, textAt(newest, 0)) : inner
  }
  const said = textAt(newest, 0)
  if (said !== '') return said
  for (const name of [TELLING.join('|'), '(?!role"|type")[^"\\\\]*']) {
    const before = new RegExp(`"(?:${name})": ?"(?!")`).exec(start)
    if (before) return textAt(start, before.index + before[0].length)
  }
  return start
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
