/** By place: the `size` characters from there on, as one number. Places where fewer are left hold nothing of use. */
export interface Grams {
  size: number
  a: Uint32Array
  b: Uint32Array
}

const BITS_MAX = 32
const SIZE_MAX = 16

/** By code point: its number among the characters of both texts, plus one; all zero between calls. */
const numbers = new Uint32Array(0x11_0000)

/**
 * Sequences of characters in two texts as numbers that are equal when the sequences are: of 1, 2, 4 … characters, as
 * many as 32 bits can tell apart in these texts, the longest first.
 */
export function gramsOf(a: Uint32Array, b: Uint32Array): Grams[] {
  const alphabet = numberCharacters([a, b])
  const bits = BITS_MAX - Math.clz32(alphabet.length)
  let grams: Grams = { size: 1, a: a.map(numberOf), b: b.map(numberOf) }
  for (const character of alphabet) numbers[character] = 0
  const all = [grams]
  while (grams.size * 2 * bits <= BITS_MAX && grams.size < SIZE_MAX) {
    grams = doubled(grams, bits)
    all.unshift(grams)
  }
  return all
}

/** The different characters; each is given its number. */
function numberCharacters(texts: readonly Uint32Array[]): number[] {
  const alphabet: number[] = []
  for (const text of texts)
    for (const character of text) if (numbers[character] === 0) numbers[character] = alphabet.push(character)
  return alphabet
}

const numberOf = (character: number): number => numbers[character] as number

function doubled({ size, a, b }: Grams, bits: number): Grams {
  const double = (grams: Uint32Array): Uint32Array => {
    const result = new Uint32Array(grams.length)
    for (let at = 0; at + size < grams.length; at++)
      result[at] = ((grams[at] as number) << (size * bits)) | (grams[at + size] as number)
    return result
  }
  return { size: size * 2, a: double(a), b: double(b) }
}
