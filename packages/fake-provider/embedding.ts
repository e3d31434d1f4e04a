import { createHash } from 'node:crypto'

const DIMENSIONS = 64

/**
 * A vector of length 1 in which every word of a text, and every three letters of one, have their place: texts with the
 * same words are close, whatever their order.
 */
export function embeddingOf(text: string, dimensions = DIMENSIONS): number[] {
  const vector = new Array<number>(dimensions).fill(0)
  for (const feature of featuresOf(text)) {
    const hash = createHash('md5').update(feature).digest()
    const place = hash.readUInt32LE(0) % dimensions
    vector[place] = (vector[place] as number) + ((hash[4] as number) & 1 ? 1 : -1)
  }
  const norm = Math.hypot(...vector) || 1
  return vector.map(value => value / norm)
}

function featuresOf(text: string): string[] {
  const words = text.toLowerCase().match(/[\p{L}\d]+/gu) ?? []
  return words.flatMap(word => [word, word, ...[...word].slice(2).map((_, at) => word.slice(at, at + 3))])
}
