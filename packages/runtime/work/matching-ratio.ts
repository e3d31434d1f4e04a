import { codePointsOf } from '../code-points.ts'
import { type Grams, gramsOf } from './grams.ts'

/**
 * The similarity of Ratcliff and Obershelp: twice the number of characters in the blocks that both texts have in
 * common, relative to the length of both. The longest block counts first, of equal ones the leftmost in `a`, then in
 * `b`; then the same on either side of it. Characters are Unicode code points, and none is ignored for being frequent.
 * Two empty texts are alike (1). Swapping the texts may change the result.
 *
 * A block is looked for by sequences of 16, 8, 4, 2 characters that both texts have, and by single ones only where
 * there is no common pair: most places of a long text have a common character, few have four in a row. Texts of 650
 * characters take a tenth of a millisecond; texts of two letters take time in proportion to the product of their
 * lengths, and more.
 */
export function matchingRatio(a: string, b: string): number {
  const [one, other] = [codePointsOf(a), codePointsOf(b)]
  const total = one.length + other.length
  return total === 0 ? 1 : (2 * new Comparison(one, other).matched()) / total
}

/** Where both texts are alike: `length` characters from `a` and `b` on. */
interface Block {
  a: number
  b: number
  length: number
}

/** Parts of both texts that are still to be compared, ends exclusive; no block in it is longer than `lengthMax`. */
interface Part {
  aFrom: number
  aTo: number
  bFrom: number
  bTo: number
  lengthMax: number
}

const NOWHERE = -1
const SLOT_BITS = 16
/** Knuth's multiplier: spreads the grams over the slots. */
const slotOf = (gram: number): number => Math.imul(gram, 0x9e37_79b1) >>> (32 - SLOT_BITS)
/**
 * By slot of a gram: its last place in the part of `b` that is looked at. Only slots of that part's grams are valid.
 */
const lastPlaces = new Int32Array(1 << SLOT_BITS)

class Comparison {
  readonly #aLength: number
  readonly #bLength: number
  readonly #grams: readonly Grams[]
  /** By place in `b`: the place before it whose gram has the same slot, in the part that is looked at. */
  readonly #placesBefore: Int32Array
  /**
   * By place in `b`, plus one: how many grams in a row are there up to this place and up to one in `a`, and the row of
   * the latter. Rows are numbered through all parts, so that nothing has to be cleared.
   */
  readonly #lengths: Int32Array
  readonly #rows: Int32Array
  #row = 0

  constructor(a: Uint32Array, b: Uint32Array) {
    this.#aLength = a.length
    this.#bLength = b.length
    this.#grams = gramsOf(a, b)
    this.#placesBefore = new Int32Array(b.length)
    this.#lengths = new Int32Array(b.length + 1)
    this.#rows = new Int32Array(b.length + 1)
  }

  /** Characters in all blocks. */
  matched(): number {
    const [aTo, bTo] = [this.#aLength, this.#bLength]
    const open: Part[] = [{ aFrom: 0, aTo, bFrom: 0, bTo, lengthMax: Math.min(aTo, bTo) }]
    let matched = 0
    for (let part = open.pop(); part; part = open.pop()) {
      const { a, b, length } = this.#longestBlock(part)
      if (length === 0) continue
      matched += length
      open.push({ aFrom: part.aFrom, aTo: a, bFrom: part.bFrom, bTo: b, lengthMax: length })
      open.push({ aFrom: a + length, aTo: part.aTo, bFrom: b + length, bTo: part.bTo, lengthMax: length })
    }
    return matched
  }

  #longestBlock(part: Part): Block {
    const lengthMax = Math.min(part.lengthMax, part.aTo - part.aFrom, part.bTo - part.bFrom)
    for (const grams of this.#grams) {
      if (grams.size > lengthMax) continue
      const block = this.#longestRun(part, grams)
      if (block.length > 0) return block
    }
    return { a: part.aFrom, b: part.bFrom, length: 0 }
  }

  /** The longest block of at least a gram's size: so many grams in a row are alike. */
  #longestRun(part: Part, grams: Grams): Block {
    this.#findPlaces(part, grams)
    const { a, b, size } = grams
    const [placesBefore, lengths, rows] = [this.#placesBefore, this.#lengths, this.#rows]
    const aTo = part.aTo - size + 1
    let aLast = part.aFrom
    let bLast = part.bFrom
    let run = 0
    // No row of this part follows one of another.
    let row = this.#row + 1
    for (let at = part.aFrom; at < aTo; at++) {
      row++
      const gram = a[at] as number
      // From right to left, so that the place on the left still says what it said in the row before.
      for (let place = lastPlaces[slotOf(gram)] as number; place !== NOWHERE; place = placesBefore[place] as number) {
        if (b[place] !== gram) continue
        const reached = rows[place] === row - 1 ? (lengths[place] as number) + 1 : 1
        rows[place + 1] = row
        lengths[place + 1] = reached
        if (reached > run || (reached === run && aLast === at)) {
          aLast = at
          bLast = place
          run = reached
        }
      }
    }
    this.#row = row
    return run === 0
      ? { a: aLast, b: bLast, length: 0 }
      : { a: aLast - run + 1, b: bLast - run + 1, length: run + size - 1 }
  }

  /** Where grams of the part of `a` may stand in that of `b`. */
  #findPlaces(part: Part, { a, b, size }: Grams): void {
    const placesBefore = this.#placesBefore
    const [aTo, bTo] = [part.aTo - size + 1, part.bTo - size + 1]
    for (let at = part.aFrom; at < aTo; at++) lastPlaces[slotOf(a[at] as number)] = NOWHERE
    for (let at = part.bFrom; at < bTo; at++) lastPlaces[slotOf(b[at] as number)] = NOWHERE
    for (let at = part.bFrom; at < bTo; at++) {
      const slot = slotOf(b[at] as number)
      placesBefore[at] = lastPlaces[slot] as number
      lastPlaces[slot] = at
    }
  }
}
