import { BACKSLASH, QUOTE, SPACE } from './json-bytes.ts'

/**
 * `JSON.parse` of V8 13 and 14 (Node 24 and 26) can confuse an escaped member name with another (see DECISIONS.md): it
 * compares the expected name with the text as written. So texts with an escape in a member name are parsed here.
 */

type Container = unknown[] | Record<string, unknown>

/**
 * Whether a member name of a JSON text has an escape; in rare cases also true if a text begins with a colon. Checks the
 * colons of texts that contain a backslash, and what precedes each.
 */
export function hasEscapedName(text: string): boolean {
  if (!text.includes('\\')) return false
  for (let colon = text.indexOf(':'); colon >= 0; colon = text.indexOf(':', colon + 1)) {
    let at = colon - 1
    while (text.charCodeAt(at) <= SPACE) at--
    if (text.charCodeAt(at) === QUOTE && !isEscaped(text, 0, at) && isEscapeBefore(text, at)) return true
  }
  return false
}

/** Whether there is an escape between the opening quote before a position and the position, or of that quote. */
function isEscapeBefore(text: string, end: number): boolean {
  let at = end - 1
  while (at >= 0 && text.charCodeAt(at) !== QUOTE && text.charCodeAt(at) !== BACKSLASH) at--
  return text.charCodeAt(at) === BACKSLASH || text.charCodeAt(at - 1) === BACKSLASH
}

/**
 * The value of a JSON text, built member by member: a tenth of the speed of `JSON.parse`, with correct names. Strings,
 * numbers and words are parsed by `parseLeaf`. Throws SyntaxError as `JSON.parse` does.
 */
export function parseByHand(text: string, parseLeaf: (text: string) => unknown): unknown {
  // The engine finds every syntax error, so the rest can rely on a valid text.
  JSON.parse(text)
  const open: { value: Container; name: string }[] = []
  let name = ''
  for (let at = skipBlanks(text, 0); ; ) {
    const sign = text[at]
    let value: unknown
    if (sign === '{' || sign === '[') {
      open.push({ value: sign === '{' ? {} : [], name })
      at = skipBlanks(text, at + 1)
      continue
    }
    if (sign === '}' || sign === ']') {
      ;({ value, name } = open.pop() as (typeof open)[number])
      at = skipBlanks(text, at + 1)
    } else {
      const end = sign === '"' ? endOfString(text, at + 1) + 1 : endOfScalar(text, at)
      value = parseLeaf(text.slice(at, end))
      at = skipBlanks(text, end)
      if (text[at] === ':') {
        name = value as string
        at = skipBlanks(text, at + 1)
        continue
      }
    }
    const outer = open.at(-1)
    if (!outer) return value
    addMember(outer.value, name, value)
    if (text[at] === ',') at = skipBlanks(text, at + 1)
  }
}

/** Appends to a list, or sets a member as `JSON.parse` does: `__proto__` is an ordinary name. */
export function addMember(to: Container, name: string, value: unknown): void {
  if (Array.isArray(to)) to.push(value)
  else if (name === '__proto__')
    Object.defineProperty(to, name, { value, enumerable: true, configurable: true, writable: true })
  else to[name] = value
}

/**
 * The position of the closing quote of a string, from a position in the string that does not follow a backslash; -1 if
 * there is none.
 */
function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from)
  while (end >= 0 && isEscaped(text, from, end)) end = text.indexOf('"', end + 1)
  return end
}

/** Whether an odd number of backslashes precedes a position. */
function isEscaped(text: string, from: number, at: number): boolean {
  let start = at
  while (start > from && text.charCodeAt(start - 1) === BACKSLASH) start--
  return (at - start) % 2 === 1
}

function endOfScalar(text: string, from: number): number {
  let at = from
  while (SCALAR.includes(text[at] ?? ' ')) at++
  return at
}

function skipBlanks(text: string, from: number): number {
  let at = from
  while (text.charCodeAt(at) <= SPACE) at++
  return at
}

/** The characters of numbers and of the three words. */
const SCALAR = '0123456789+-.eEtrufalsn'
