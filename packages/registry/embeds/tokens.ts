import type { JsonObject } from '@spanhouse/model'
import { type Embed, MARKER, parseReferences } from './embed.ts'
import { EmbedFailure } from './failure.ts'

/** A token in a text: its source, and the embed it stands for. */
export interface Token {
  source: string
  embed: Embed | EmbedFailure
}

/**
 * Maximum length of a token's content. Without a limit an unterminated token would be searched for to the end of the
 * text every time.
 */
const INSIDE_MAX = 1024
/** Maximum length of brackets inside a selector. */
const BRACKETS_MAX = 200

const BLANKS = /\s*/y
const BRACE = /[{}]/
const CLOSING = /\]/
const BRACKET = /[[\]]/

/** The start of a token: `@ag.embed[@ag.references[...], @ag.selector[...]]`, or a snippet `@{{...}}`. */
const START = /@ag\.embed\[|@\{\{/g

const REFERENCE_NAME = /^(?<entity>[a-z_]+)\.(?<field>id|slug|version)$/

/** The default path of a snippet in the parameters. */
const SNIPPET_PATH = 'prompt.messages.0.content'

/** Splits a text into plain text and tokens. Undefined if there is no token. */
export function tokensOf(text: string): (string | Token)[] | undefined {
  if (!text.includes('@{{') && !text.includes(MARKER)) return undefined
  const pieces: (string | Token)[] = []
  let at = 0
  let read = 0
  for (const { 0: start, index } of text.matchAll(START)) {
    if (index < read) continue
    const token = start === '@{{' ? snippetAt(text, index + start.length) : longAt(text, index + start.length)
    if (!token) continue
    read = token.end
    const embed = embedOf(token)
    if (!embed) continue
    pieces.push(text.slice(at, index), { source: text.slice(index, read), embed })
    at = read
  }
  return pieces.length === 0 ? undefined : [...pieces, text.slice(at)]
}

/** The content of a token, and its end. */
type Written = { end: number; snippet: string } | { end: number; references: string; selector: string }

function snippetAt(text: string, from: number): Written | undefined {
  const to = endOf(text, from, INSIDE_MAX, BRACE)
  return text.startsWith('}}', to) ? { end: to + 2, snippet: text.slice(from, to) } : undefined
}

function longAt(text: string, from: number): Written | undefined {
  const references = bracketsAt(text, blanksEnd(text, from), '@ag.references')
  if (!references) return undefined
  const next = blanksEnd(text, references.end)
  const selector = text[next] === ',' ? bracketsAt(text, blanksEnd(text, next + 1), '@ag.selector') : undefined
  const end = selector ? blanksEnd(text, selector.end) : next
  if (text[end] !== ']') return undefined
  return { end: end + 1, references: references.inside, selector: selector?.inside ?? '' }
}

/** Parses `name[...]`. A selector may contain brackets. */
function bracketsAt(text: string, from: number, name: string): { inside: string; end: number } | undefined {
  if (!text.startsWith(`${name}[`, from)) return undefined
  const begin = from + name.length + 1
  const to = name === '@ag.selector' ? selectorEnd(text, begin) : endOf(text, begin, INSIDE_MAX, CLOSING)
  return text[to] === ']' ? { inside: text.slice(begin, to), end: to + 1 } : undefined
}

/** The end of a selector that begins here; a pair of brackets in it counts as one character. */
function selectorEnd(text: string, from: number): number {
  let at = from
  for (let count = 0; count < INSIDE_MAX && at < text.length && text[at] !== ']'; count++) {
    const close = text[at] === '[' ? endOf(text, at + 1, BRACKETS_MAX, BRACKET) : at
    if (text[at] === '[' && text[close] !== ']') return at
    at = close + 1
  }
  return at
}

/** The position of the first of these signs, at most `lengthMax` characters on. */
function endOf(text: string, from: number, lengthMax: number, signs: RegExp): number {
  const inside = text.slice(from, from + lengthMax)
  const at = inside.search(signs)
  return from + (at === -1 ? inside.length : at)
}

function blanksEnd(text: string, from: number): number {
  BLANKS.lastIndex = from
  BLANKS.test(text)
  return BLANKS.lastIndex
}

function embedOf(written: Written): Token['embed'] | undefined {
  if ('references' in written) return toEmbed([...written.references.split(','), ...written.selector.split(',')], false)
  const parts = written.snippet.split(/[,&]/)
  // A snippet has at least one reference with a value; otherwise it is a placeholder that follows an @.
  return parts.some(part => REFERENCE_NAME.test(assignmentOf(part).name)) ? toEmbed(parts, true) : undefined
}

/** Parses `name = value`, or with a colon. The name is empty if the part has another form. */
function assignmentOf(part: string): { name: string; value: string } {
  const sign = part.search(/[=:]/)
  const name = part.slice(0, Math.max(0, sign)).trim()
  return /^[a-z_.]+$/.test(name) ? { name, value: part.slice(sign + 1).trim() } : { name: '', value: '' }
}

function toEmbed(parts: readonly string[], isSnippet: boolean): Embed | EmbedFailure {
  const references: Record<string, JsonObject> = {}
  const selector: { key?: string; path?: string } = isSnippet ? { path: SNIPPET_PATH } : {}
  for (const part of parts.filter(part => part.trim() !== '')) {
    const { name, value } = assignmentOf(part)
    const { entity = '', field = '' } = REFERENCE_NAME.exec(name)?.groups ?? {}
    if (field !== '') references[entity] = { ...references[entity], [field]: value }
    else if (name === 'key' || name === 'path') selector[name] = value
    else return new EmbedFailure('InvalidEmbedError', `An embed has an unknown part: '${part.trim()}'.`)
  }
  const parsed = parseReferences(references)
  return parsed instanceof EmbedFailure ? parsed : { ...parsed, ...selector, isSnippet }
}
