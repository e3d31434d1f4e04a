import { indexOfText } from '@spanhouse/model'
import type { MatchWork } from './match-work.ts'

/** The text between two `%`: characters as code points, `_` as {@link ANY}. */
type Segment = readonly number[]
const ANY = -1

/**
 * Matches a `like` pattern, as in `TextTest`, against the whole value. Both are well-formed. There is no backtracking:
 * the text after a `%` is matched at its first occurrence, so time is linear except for segments with `_`, which are
 * tried at each position.
 */
export function matchesLike(value: string, pattern: string, work: MatchWork): boolean {
  work.spend(value.length + pattern.length)
  const segments = segmentsOf(pattern)
  const first = segments.shift() as Segment
  const last = segments.pop()
  const begin = endAt(value, first, 0)
  if (begin === -1 || last === undefined) return begin === value.length
  const end = startBefore(value, last)
  let at = begin
  for (const segment of segments) {
    at = endOfNext(value, segment, at, work)
    if (at === -1) return false
  }
  return end !== -1 && at <= end
}

/**
 * `%` matches any run of characters, `_` one, and `\` makes the next character literal; a final `\` stands for itself.
 */
function segmentsOf(pattern: string): Segment[] {
  const segments: number[][] = [[]]
  const characters = [...pattern]
  for (let at = 0; at < characters.length; at++) {
    const isEscape = characters[at] === '\\' && at + 1 < characters.length
    const character = characters[isEscape ? ++at : at] as string
    if (character === '%' && !isEscape) segments.push([])
    else segments.at(-1)?.push(character === '_' && !isEscape ? ANY : (character.codePointAt(0) as number))
  }
  return segments
}

const widthOf = (point: number): number => (point > 0xffff ? 2 : 1)

/** The end of the segment if it matches here, or -1. */
function endAt(value: string, segment: Segment, from: number): number {
  let at = from
  for (const wanted of segment) {
    const point = value.codePointAt(at)
    if (point === undefined || (wanted !== ANY && wanted !== point)) return -1
    at += widthOf(point)
  }
  return at
}

/** The start of the segment if it matches at the end of the value, or -1. */
function startBefore(value: string, segment: Segment): number {
  let at = value.length
  for (const wanted of segment.toReversed()) {
    if (at === 0) return -1
    at -= isLowHalf(value, at - 1) ? 2 : 1
    if (wanted !== ANY && wanted !== value.codePointAt(at)) return -1
  }
  return at
}

/** The end of the next match of the segment, or -1. */
function endOfNext(value: string, segment: Segment, from: number, work: MatchWork): number {
  if (!segment.includes(ANY)) {
    const text = segment.map(point => String.fromCodePoint(point)).join('')
    const at = indexOfText(value, text, from)
    return at === -1 ? -1 : at + text.length
  }
  for (let at = from; at <= value.length; at++) {
    if (isLowHalf(value, at)) continue
    work.spend(segment.length)
    const end = endAt(value, segment, at)
    if (end !== -1) return end
  }
  return -1
}

const isLowHalf = (value: string, at: number): boolean => (value.charCodeAt(at) & 0xfc00) === 0xdc00
