import type { JsonObject } from '@spanhouse/model'
import { type Embed, MARKER, parseReferences } from './embed.ts'
import { EmbedFailure } from './failure.ts'

/** A token in a text: what is written there, and what it asks for. */
export interface Token {
  source: string
  embed: Embed | EmbedFailure
}

/** Tokens are short; without a bound an unfinished one would be looked for to the end of the text, again and again. */
const INSIDE_MAX = 1024
const LONG = String.raw`@ag\.embed\[\s*@ag\.references\[(?<references>[^\]]{0,${INSIDE_MAX}})\]\s*(?:,\s*@ag\.selector\[(?<selector>(?:[^[\]]|\[[^[\]]{0,200}\]){0,${INSIDE_MAX}})\]\s*)?\]`
const SNIPPET = String.raw`@\{\{(?<snippet>[^{}]{0,${INSIDE_MAX}})\}\}`
const TOKEN = new RegExp(`${LONG}|${SNIPPET}`, 'g')

/** `entity.field` with a value: what tells a snippet from a placeholder that happens to stand behind an @. */
const ASSIGNMENT = /^\s*(?<name>[a-z_.]+)\s*[=:]\s*(?<value>.*?)\s*$/s
const REFERENCE_NAME = /^(?<entity>[a-z_]+)\.(?<field>id|slug|version)$/

/** Where a snippet looks in the parameters unless it says so. */
const SNIPPET_PATH = 'prompt.messages.0.content'

/** A text in pieces: what stays as it is, and the tokens. Undefined when there is no token in it. */
export function tokensOf(text: string): (string | Token)[] | undefined {
  if (!text.includes('@{{') && !text.includes(MARKER)) return undefined
  const pieces: (string | Token)[] = []
  let at = 0
  for (const match of text.matchAll(TOKEN)) {
    const embed = embedOf(match.groups ?? {})
    if (!embed) continue
    pieces.push(text.slice(at, match.index), { source: match[0], embed })
    at = match.index + match[0].length
  }
  return pieces.length === 0 ? undefined : [...pieces, text.slice(at)]
}

function embedOf({
  references,
  selector = '',
  snippet,
}: Record<string, string | undefined>): Token['embed'] | undefined {
  if (references !== undefined) return toEmbed([...references.split(','), ...selector.split(',')], false)
  const parts = (snippet ?? '').split(/[,&]/)
  const isSnippet = parts.some(part => REFERENCE_NAME.test(ASSIGNMENT.exec(part)?.groups?.name ?? ''))
  return isSnippet ? toEmbed(parts, true) : undefined
}

function toEmbed(parts: readonly string[], isSnippet: boolean): Embed | EmbedFailure {
  const references: Record<string, JsonObject> = {}
  const selector: { key?: string; path?: string } = isSnippet ? { path: SNIPPET_PATH } : {}
  for (const part of parts.filter(part => part.trim() !== '')) {
    const { name = '', value = '' } = ASSIGNMENT.exec(part)?.groups ?? {}
    const { entity = '', field = '' } = REFERENCE_NAME.exec(name)?.groups ?? {}
    if (field !== '') references[entity] = { ...references[entity], [field]: value }
    else if (name === 'key' || name === 'path') selector[name] = value
    else return new EmbedFailure('InvalidEmbedError', `An embed has a part that says nothing: '${part.trim()}'.`)
  }
  const parsed = parseReferences(references)
  return parsed instanceof EmbedFailure ? parsed : { ...parsed, ...selector, isSnippet }
}
