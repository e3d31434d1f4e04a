/** Python's flags that change how what follows is read: `re.A`, `re.I`, `re.M`, `re.S` and `re.X`. */
export interface PatternFlags {
  ascii: boolean
  ignoreCase: boolean
  multiline: boolean
  dotAll: boolean
  verbose: boolean
}

export const NO_FLAGS: PatternFlags = {
  ascii: false,
  ignoreCase: false,
  multiline: false,
  dotAll: false,
  verbose: false,
}

const BY_LETTER: Record<string, keyof PatternFlags> = {
  a: 'ascii',
  i: 'ignoreCase',
  m: 'multiline',
  s: 'dotAll',
  x: 'verbose',
}

/** The flags with those of `letters` switched. `u` is what patterns over text are anyway. */
export function withLetters(flags: PatternFlags, letters: string, isOn: boolean): PatternFlags {
  const names = [...letters].flatMap(letter => BY_LETTER[letter] ?? [])
  return { ...flags, ...Object.fromEntries(names.map(name => [name, isOn])) }
}

const UNICODE_CLASSES: Record<string, string> = {
  d: '\\p{Nd}',
  // What `str.isspace` takes for a blank.
  s: '\\t-\\r\\x1c-\\x20\\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000',
  w: '\\p{L}\\p{N}_',
}
const ASCII_CLASSES: Record<string, string> = { d: '0-9', s: '\\t-\\r\\x20', w: 'A-Za-z0-9_' }

/** The class in brackets that `\d`, `\s`, `\w` or the capital letter means, for a RegExp with the flag `v`. */
export function classOf(letter: string, { ascii }: PatternFlags): string {
  const lower = letter.toLowerCase()
  const members = (ascii ? ASCII_CLASSES : UNICODE_CLASSES)[lower]
  return `[${letter === lower ? '' : '^'}${members}]`
}
