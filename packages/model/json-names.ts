/**
 * `JSON.parse` of V8 13 (Node 24) can take an escaped member name for another (see DECISIONS.md): it compares the name
 * that it expects with the text as written. So texts in which a member name has an escape are read here.
 */

type Container = unknown[] | Record<string, unknown>

/**
 * Whether a member name of a JSON text has an escape; rarely also true where a text begins with a colon. Looks at the
 * colons of texts that have a backslash, and at what stands before each.
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

/** Whether there is an escape between the quote before a place and the place, or of that quote. */
function isEscapeBefore(text: string, end: number): boolean {
  let at = end - 1
  while (at >= 0 && text.charCodeAt(at) !== QUOTE && text.charCodeAt(at) !== BACKSLASH) at--
  return text.charCodeAt(at) === BACKSLASH || text.charCodeAt(at - 1) === BACKSLASH
}

/**
 * The value of a JSON text, built member by member: a tenth of the speed of `JSON.parse`, with correct names. Strings,
 * numbers and words are read by `parseLeaf`. Throws SyntaxError as `JSON.parse` does.
 */
export function parseByHand(text: string, parseLeaf: (text: string) => unknown): unknown {
  // The engine finds every mistake, so that what follows can rely on the text.
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

/** Appends to a list, or sets a member as `JSON.parse` does: `__proto__` is a name like any other. */
export function addMember(to: Container, name: string, value: unknown): void {
  if (Array.isArray(to)) to.push(value)
  else if (name === '__proto__')
    Object.defineProperty(to, name, { value, enumerable: true, configurable: true, writable: true })
  else to[name] = value
}

/** Where the closing quote of a string is, from a place in the string that is not behind a backslash; -1 if it has none. */
function endOfString(text: string, from: number): number {
  let end = text.indexOf('"', from)
  while (end >= 0 && isEscaped(text, from, end)) end = text.indexOf('"', end + 1)
  return end
}

/** Whether an odd number of backslashes stands before a place. */
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

const QUOTE = 0x22
const BACKSLASH = 0x5c
const SPACE = 0x20
/** Of which numbers and the three words consist. */
const SCALAR = '0123456789+-.eEtrufalsn'
