/**
 * JSON that `JSON.stringify` cannot write: nesting of thousands of levels, numbers of thousands of digits, names that
 * occur twice. A value holds a placeholder for it, and `toJsonText` puts the text in its place.
 */
const RAW = {
  lists: n => '['.repeat(n) + ']'.repeat(n),
  objects: n => `${'{"a":'.repeat(n)}1${'}'.repeat(n)}`,
  /** Opened and never closed. */
  open: n => '['.repeat(n),
  digits: n => '1'.repeat(n),
  decimals: n => `0.${'3'.repeat(n)}`,
  exponent: n => `1e${n}`,
  tiny: n => `-1e-${n}`,
  empties: n => `[${'{},'.repeat(n)}{}]`,
  ones: n => `[${'1,'.repeat(n)}1]`,
  nulls: n => `[${'null,'.repeat(n)}null]`,
  texts: n => `[${'"a",'.repeat(n)}"a"]`,
  twice: n => `{${'"a":1,'.repeat(n)}"a":2}`,
  members: n => `{${Array.from({ length: n }, (_, at) => `"k${at}":${at}`).join()}}`,
  proto: n => `{"__proto__":${n},"constructor":{"prototype":{"polluted":1}}}`,
  blanks: n => `"${' '.repeat(n)}"`,
  letters: n => `"${'a'.repeat(n)}"`,
  slashes: n => `"${'/'.repeat(n)}"`,
  hashes: n => `"${'#'.repeat(n)}"`,
  escapes: n => `"${'\\u0061'.repeat(n)}"`,
  surrogates: n => `"${'\\ud800'.repeat(n)}"`,
  digitText: n => `"${'1'.repeat(n)}x"`,
  segments: n => `"${Array.from({ length: n }, () => '0').join('.')}"`,
  braces: n => `"${'{{ '.repeat(n)}"`,
} as const satisfies Record<string, (n: number) => string>

export type RawKind = keyof typeof RAW

export const RAW_KINDS = Object.keys(RAW) as RawKind[]

const placeholder = /"@raw:(\w+):(\d+)@"/g

/** Stands in a value for JSON of the kind and size. */
export const raw = (kind: RawKind, size: number): string => `@raw:${kind}:${size}@`

/**
 * Of all placeholders of a text together: what they become is more than any body may have, and fits into one string.
 */
const SIZES_MAX = 8_000_000

export function toJsonText(value: unknown): string {
  const text = JSON.stringify(value) ?? 'null'
  let left = SIZES_MAX
  return text.replace(placeholder, (_, kind: RawKind, wanted: string) => {
    const size = Math.min(Number(wanted), left)
    left -= size
    return RAW[kind](size)
  })
}
