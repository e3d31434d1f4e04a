import { isRawJson, numberOf } from '@spanhouse/model'
import { NUMERIC_TEXT, type NumberTest, type Numeric, type Relation } from '../filter/filter.ts'
import { allOf, bigInt, decimal, float, type Sql, sql, text } from '../sql.ts'
import type { AttributeColumn } from './attribute-columns.ts'
import { RELATIONS } from './compile-text.ts'

export type NumberColumn = Extract<AttributeColumn, { readonly type: 'number' }>

/** One comparison, or the two of `btwn`. */
type Bound = readonly [relation: Relation, operand: Numeric]
const boundsOf = (test: NumberTest): readonly Bound[] =>
  test.test === 'btwn'
    ? [
        ['gte', test.low],
        ['lte', test.high],
      ]
    : [[test.test, test.value]]

/**
 * A number test of JSON text as the engine writes it. Matches numbers and numeric texts; false for everything else.
 * Only the quotes of a text are removed: the engine writes doubles below 1e21 as integers, and reads none beyond 64 bits.
 */
export function compileNumber(json: Sql, test: NumberTest): Sql {
  const value = sql`trimBoth(${json}, '"')`
  const isNumeric = sql`match(${value}, ${text(NUMERIC_TEXT)})`
  return allOf([isNumeric, ...boundsOf(test).map(bound => compareText(value, bound))])
}

/** Doubles compare exactly with integers below 2^53, whatever is stored; larger integers are compared as integers. */
function compareText(value: Sql, [relation, operand]: Bound): Sql {
  const asDouble = sql`ifNull(toFloat64OrNull(${value}) ${RELATIONS[relation]} ${float(toNumber(operand))}, false)`
  const integer = largeInteger(operand)
  if (integer === undefined) return asDouble
  const isInteger = sql`match(${value}, '^[-+]?[0-9]{1,38}$')`
  return sql`if(${isInteger}, toInt128OrZero(${value}) ${RELATIONS[relation]} ${bigInt(integer)}, ${asDouble})`
}

const INT128_MAX = 10n ** 38n

function largeInteger(operand: Numeric): bigint | undefined {
  if (!isRawJson(operand) && (Number.isSafeInteger(operand) || !Number.isInteger(operand))) return undefined
  const integer = BigInt(isRawJson(operand) ? operand.rawJSON : operand)
  return integer > -INT128_MAX && integer < INT128_MAX ? integer : undefined
}

const toNumber = (operand: Numeric): number => numberOf(operand) as number

const HOLDS: Record<Relation, (left: number, right: number) => boolean> = {
  eq: (left, right) => left === right,
  neq: (left, right) => left !== right,
  gt: (left, right) => left > right,
  gte: (left, right) => left >= right,
  lt: (left, right) => left < right,
  lte: (left, right) => left <= right,
}

/**
 * A number test of a typed column. Zero in the column may mean no value, so if zero would satisfy the test it is
 * excluded then, or the JSON text decides.
 */
export function compileNumberColumn(column: NumberColumn, json: Sql, test: NumberTest): Sql {
  const bounds = boundsOf(test)
  const satisfied = allOf(bounds.map(bound => compareColumn(column, bound)))
  const zeroSatisfies = bounds.every(([relation, operand]) => HOLDS[relation](0, toNumber(operand)))
  if (!zeroSatisfies) return satisfied
  if (!column.alsoInJson) return allOf([column.isSet, satisfied])
  return sql`if(${column.column} = 0, ${compileNumber(json, test)}, ${satisfied})`
}

/** The number is not zero. */
export const numberEquals = (column: NumberColumn, value: Numeric): Sql => compareColumn(column, ['eq', value])

/** Decimals compare exactly; an operand that does not fit the column's type is compared as a double. */
function compareColumn({ column, precision, scale }: NumberColumn, [relation, operand]: Bound): Sql {
  const number = toNumber(operand)
  const written = String(number)
  if (Math.abs(number) < 10 ** (precision - scale) && fractionDigits(written) <= scale) {
    return sql`${column} ${RELATIONS[relation]} ${decimal(written, precision, scale)}`
  }
  return sql`toFloat64(${column}) ${RELATIONS[relation]} ${float(number)}`
}

/** The digits after the decimal point of a number as JavaScript writes it: `1.25e-7` has nine. */
function fractionDigits(written: string): number {
  const [mantissa = '', exponent = '0'] = written.split('e')
  return Math.max(0, (mantissa.split('.')[1] ?? '').length - Number(exponent))
}
