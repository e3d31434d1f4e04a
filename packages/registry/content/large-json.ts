import { type Json, type JsonObject, JsonText, nextTurn, parseJson } from '@spanhouse/model'

/** Members with longer JSON text are kept as text. */
const TEXT_LENGTH_MAX = 256 * 1024

/** How many steps run before other work gets a turn. */
const STEPS = 100_000

/**
 * Parses a JSON text, except that large members of an object become {@link JsonText}. The text must have the form in
 * which the registry stores it, without spaces around names. One pass over the text, which skips strings.
 */
export async function parseLarge(text: string): Promise<Json> {
  if (!text.startsWith('{')) return parseJson(text)
  const members: [string, Json][] = []
  let [from, colon, depth, steps] = [1, -1, 1, 0]
  let isInString = false
  for (let at = 1; at < text.length; at++) {
    if (++steps % STEPS === 0) await nextTurn()
    if (isInString) {
      at = text.indexOf('"', at)
      if (at < 0) throw new SyntaxError('unterminated string in stored JSON')
      isInString = isEscaped(text, at)
      continue
    }
    const sign = text[at]
    if (sign === '"') isInString = true
    else if (sign === '{' || sign === '[') depth++
    else if (sign === '}' || sign === ']') depth--
    else if (sign === ':' && colon < 0) colon = at
    const isEnd = depth === 0 || (depth === 1 && sign === ',')
    if (!isEnd) continue
    if (colon > 0) members.push([parseJson(text.slice(from, colon)) as string, member(text.slice(colon + 1, at))])
    from = at + 1
    colon = -1
  }
  return Object.fromEntries(members) as JsonObject
}

const member = (text: string): Json =>
  text.length > TEXT_LENGTH_MAX ? (new JsonText(text) as unknown as Json) : parseJson(text)

function isEscaped(text: string, at: number): boolean {
  let backslashes = 0
  while (text[at - 1 - backslashes] === '\\') backslashes++
  return backslashes % 2 === 1
}
