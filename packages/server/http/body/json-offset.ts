import { nextTurn } from '@spanhouse/model'

/** Deeper nesting is reported as the position of the error. */
const DEPTH_MAX = 10_000

const BLANK = /[ \t\n\r]*/y
const PUNCTUATION = /[{}[\],:]/y
const NUMBER_OR_WORD = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?|true|false|null/y
const PLAIN_TEXT = /[ !#-[\]-\uffff]*/y
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y

/**
 * The offset at which a text is no longer JSON (RFC 8259), in UTF-16 units: that of the invalid value, name or
 * character, or the text's length if it only ends too early. The engine's own messages contain it only in some cases.
 * Yields to other work.
 */
export async function jsonErrorOffset(text: string): Promise<number> {
  const grammar = new Grammar()
  let at = skip(BLANK, text, 0)
  for (let tokens = 1; at < text.length; tokens++) {
    if (tokens % TOKENS_PER_TURN === 0) await nextTurn()
    if (!grammar.accepts(text[at] as string)) return at
    const { end, isWhole } = text[at] === '"' ? await textAt(text, at) : wordAt(text, at)
    if (!isWhole) return end
    at = skip(BLANK, text, end)
  }
  return at
}

const TOKENS_PER_TURN = 1_000

/** The tokens that may come next, by the first character of each. */
class Grammar {
  #expected: 'value' | 'first item' | 'first name' | 'name' | 'colon' | 'separator' | 'end' = 'value'
  /** The open objects and lists, innermost last. */
  readonly #closers: ('}' | ']')[] = []

  accepts(sign: string): boolean {
    const closer = this.#closers.at(-1)
    switch (this.#expected) {
      case 'first item':
      case 'first name':
      case 'separator':
        if (sign === closer) return this.#close()
    }
    switch (this.#expected) {
      case 'value':
      case 'first item':
        return this.#startValue(sign)
      case 'name':
      case 'first name':
        this.#expected = 'colon'
        return sign === '"'
      case 'colon':
        this.#expected = 'value'
        return sign === ':'
      case 'separator':
        this.#expected = closer === '}' ? 'name' : 'value'
        return sign === ','
      case 'end':
        return false
    }
  }

  #startValue(sign: string): boolean {
    if (sign === '{') return this.#open('}', 'first name')
    if (sign === '[') return this.#open(']', 'first item')
    return this.#endValue() && /["\-0-9tfn]/.test(sign)
  }

  #open(closer: '}' | ']', expected: 'first name' | 'first item'): boolean {
    this.#expected = expected
    return this.#closers.push(closer) <= DEPTH_MAX
  }

  #close(): boolean {
    this.#closers.pop()
    return this.#endValue()
  }

  #endValue(): boolean {
    this.#expected = this.#closers.length > 0 ? 'separator' : 'end'
    return true
  }
}

/** Where a token ends, or where it becomes invalid. */
interface Token {
  end: number
  isWhole: boolean
}

function wordAt(text: string, start: number): Token {
  const end = Math.max(skip(PUNCTUATION, text, start), skip(NUMBER_OR_WORD, text, start))
  return { end, isWhole: end > start }
}

async function textAt(text: string, start: number): Promise<Token> {
  let at = skip(PLAIN_TEXT, text, start + 1)
  for (let escapes = 1; text[at] === '\\'; escapes++) {
    if (escapes % TOKENS_PER_TURN === 0) await nextTurn()
    const end = skip(ESCAPE, text, at)
    if (end === at) return { end: at, isWhole: false }
    at = skip(PLAIN_TEXT, text, end)
  }
  return text[at] === '"' ? { end: at + 1, isWhole: true } : { end: at, isWhole: false }
}

function skip(token: RegExp, text: string, at: number): number {
  token.lastIndex = at
  return token.test(text) ? token.lastIndex : at
}
