import { indexOfText, isRawJson, numberOf } from '@spanhouse/model'
import { NUMERIC_TEXT, type NumberTest, type Numeric, type Relation, type TextTest } from '../filter/filter.ts'
import { matchesLike } from './match-like.ts'
import type { MatchWork } from './match-work.ts'

const HOLDS: Record<Relation, (order: number) => boolean> = {
  eq: order => order === 0,
  neq: order => order !== 0,
  gt: order => order > 0,
  gte: order => order >= 0,
  lt: order => order < 0,
  lte: order => order <= 0,
}

export const related = (relation: Relation, order: number): boolean => HOLDS[relation](order)

/** By code point: UTF-8 keeps this order, JavaScript's own string order does not. */
export const compareTexts = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other))

const TEXT_TESTS: Record<TextTest['test'], (value: string, operand: string, work: MatchWork) => boolean> = {
  startswith: (value, operand) => value.startsWith(operand),
  endswith: (value, operand) => value.endsWith(operand),
  contains: (value, operand) => indexOfText(value, operand) !== -1,
  equals: (value, operand) => value === operand,
  like: matchesLike,
}

export function matchesText(value: string, { test, text, caseSensitive }: TextTest, work: MatchWork): boolean {
  work.spend(value.length + text.length)
  const fold = (one: string): string => (caseSensitive ? one : one.toLowerCase())
  return TEXT_TESTS[test](fold(value), fold(text), work)
}

const IS_NUMERIC = new RegExp(NUMERIC_TEXT)
const INTEGER = /^[-+]?[0-9]{1,38}$/

/** Tests the text form of a number or a text. */
export function matchesNumber(text: string, test: NumberTest, work: MatchWork): boolean {
  work.spend(text.length)
  if (!IS_NUMERIC.test(text)) return false
  if (test.test === 'btwn')
    return related('gte', compareNumber(text, test.low)) && related('lte', compareNumber(text, test.high))
  return related(test.test, compareNumber(text, test.value))
}

/** Doubles compare exactly with integers below 2^53; larger integers are compared as integers. */
function compareNumber(text: string, operand: Numeric): number {
  const number = numberOf(operand) as number
  const isLarge = isRawJson(operand) || (Number.isInteger(number) && !Number.isSafeInteger(number))
  if (isLarge && Math.abs(number) < 1e38 && INTEGER.test(text)) {
    const difference = BigInt(text.replace('+', '')) - BigInt(isRawJson(operand) ? operand.rawJSON : number)
    return difference > 0n ? 1 : difference < 0n ? -1 : 0
  }
  return Number(text) - number
}
