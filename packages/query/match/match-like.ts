import { indexOfText } from '@spanhouse/model'
import type { MatchWork } from './match-work.ts'

/** The text between two `%`: characters as code points, `_` as {@link ANY}. */
type Segment = readonly number[]
const ANY = -1

/**
 * A `like` pattern as `TextTest` has it, against the whole value. Both are well-formed. No `%` is ever given another
 * chance: what follows it is taken where it stands first, so time is linear but for segments with `_`. Those are tried
 * wherever they begin, which is linear too unless they repeat themselves; it is metered in any case.
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

/** Where the segment ends that begins here; -1: it does not stand here. */
function endAt(value: string, segment: Segment, from: number, work?: MatchWork): number {
  let at = from
  for (const wanted of segment) {
    work?.spend(1)
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

/**
 * Where the segment ends that is the next from here on, or -1. What it begins with up to its first `_` is searched for,
 * and the rest is compared where that was found; each comparison ends, and is counted, with the first character that
 * differs.
 */
function endOfNext(value: string, segment: Segment, from: number, work: MatchWork): number {
  const begin = segment.findIndex(point => point !== ANY)
  // Any characters may stand for the first ones, so those that come next do.
  const start = endAt(value, begin === -1 ? segment : segment.slice(0, begin), from)
  if (begin === -1 || start === -1) return start
  const any = segment.indexOf(ANY, begin)
  const end = any === -1 ? segment.length : any
  const text = String.fromCodePoint(...segment.slice(begin, end))
  const rest = segment.slice(end)
  for (let at = indexOfText(value, text, start); at !== -1; at = indexOfText(value, text, at + 1)) {
    const found = endAt(value, rest, at + text.length, work)
    if (found !== -1) return found
    work.spend(text.length)
  }
  return -1
}

const isLowHalf = (value: string, at: number): boolean => (value.charCodeAt(at) & 0xfc00) === 0xdc00
