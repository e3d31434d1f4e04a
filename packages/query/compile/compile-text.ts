import type { Relation, TextTest } from '../filter/filter.ts'
import { type Parameter, pattern, type Sql, sql, text } from '../sql.ts'

export const RELATIONS: Record<Relation, Sql> = {
  eq: sql`=`,
  neq: sql`!=`,
  gt: sql`>`,
  gte: sql`>=`,
  lt: sql`<`,
  lte: sql`<=`,
}

const TEXT_TESTS: Record<TextTest['test'], (value: Sql, operand: Sql) => Sql> = {
  startswith: (value, operand) => sql`startsWith(${value}, ${operand})`,
  endswith: (value, operand) => sql`endsWith(${value}, ${operand})`,
  contains: (value, operand) => sql`position(${value}, ${operand}) > 0`,
  equals: (value, operand) => sql`${value} = ${operand}`,
  like: (value, operand) => sql`${value} LIKE ${operand}`,
}

/** A text test of a String expression. */
export function compileText(value: Sql, { test, text: operand, caseSensitive }: TextTest): Sql {
  const fold = (one: Sql | Parameter): Sql => (caseSensitive ? sql`${one}` : sql`lowerUTF8(${one})`)
  return TEXT_TESTS[test](fold(value), fold(test === 'like' ? pattern(enginePattern(operand)) : text(operand)))
}

/**
 * The engine rejects a pattern that ends in its escape character, and treats `\` as literal before ordinary characters.
 * So all escapes are rewritten.
 */
function enginePattern(given: string): string {
  const escaped = (character: string): string => character.replace(/[\\%_]/, '\\$&')
  return given.replace(/\\([\s\S])|\\$/gu, (_match, next: string | undefined) => escaped(next ?? '\\'))
}

export const isTextTest = (test: { readonly test: string }): test is TextTest => Object.hasOwn(TEXT_TESTS, test.test)
