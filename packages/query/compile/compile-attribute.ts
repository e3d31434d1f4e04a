import { isRawJson, type Json } from '@spanhouse/model'
import { mayBeCopy } from '../copies.ts'
import type { AttributeCondition, AttributeTest, NumberTest, Relation, TextTest } from '../filter/filter.ts'
import { allOf, anyOf, count, type Sql, sql, text } from '../sql.ts'
import { contains } from './compile-json.ts'
import { compileNumber, compileNumberColumn } from './compile-number.ts'
import { compileText, isTextTest, RELATIONS } from './compile-text.ts'
import { canonicalSet, engineJson, isScalar } from './engine-json.ts'
import { attributePlace, itemPlace, type Place, textOf } from './place.ts'
import { itemsIn } from './written-json.ts'

/** A condition on the JSON value at a path. */
export function compileAttribute({ path, test }: AttributeCondition): Sql {
  const place = attributePlace(path, { texts: readsTexts(test) })
  if (isTextTest(test)) return narrowText(place, test, allOf([hasText(place), compileText(textOf(place), test)]))
  switch (test.test) {
    case 'exists':
      return place.present
    case 'not_exists':
      return sql`NOT (${place.present})`
    case 'is':
      return contains(place, test.value)
    case 'is_not':
      return sql`NOT (${contains(place, test.value)})`
    case 'in':
      return isMember(place, test)
    case 'not_in':
      return allOf([place.present, sql`NOT (${isMember(place, test)})`])
    default:
      return isNumberTest(test) ? compileNumberAt(place, test) : compileOrder(place, test)
  }
}

/** Whether the result depends on texts that may be stored as copies. */
function readsTexts(test: AttributeTest): boolean {
  switch (test.test) {
    case 'exists':
    case 'not_exists':
      return false
    case 'is':
    case 'is_not':
    case 'eq':
    case 'neq':
      return hasCopy(test.value)
    case 'in':
    case 'not_in':
      return test.values.some(hasCopy)
    default:
      return isTextTest(test) || !isNumberTest(test)
  }
}

function hasCopy(value: Json): boolean {
  if (typeof value === 'string') return mayBeCopy(value)
  return typeof value === 'object' && value !== null && !isRawJson(value) && Object.values(value).some(hasCopy)
}

/**
 * Texts of these characters are stored unescaped in JSON, and occur in nothing but strings. Sigma is excluded: its
 * lower case depends on the preceding character, which may be the letter of an escape.
 */
const UNESCAPED = /^[^"\\\p{Cc}{}[\]Σσς]*$/u
/** The end of an escape that the engine writes in lists and objects but that is not stored: of U+2028 and U+2029. */
const LINE_SEPARATOR = /^u?2?0?2?[89]/i
/** Something other than a number, which the engine may write differently from how it is stored. */
const HAS_LETTERS = /[^\d\s.,:+eE-]/
const BESIDE_NUMBER = /\d[,:]|[,:][-\d]/

/** Parses a document only if a column contains the text somewhere. */
function narrowText({ documents }: Place, { test, text: operand, caseSensitive }: TextTest, satisfied: Sql): Sql {
  const isTellable =
    UNESCAPED.test(operand) &&
    HAS_LETTERS.test(operand) &&
    !BESIDE_NUMBER.test(operand) &&
    !LINE_SEPARATOR.test(operand)
  if (documents === undefined || test === 'like' || !isTellable) return satisfied
  const contains = { test: 'contains', text: operand, caseSensitive } as const
  return sql`if(${anyOf(documents.map(document => compileText(document, contains)))}, ${satisfied}, false)`
}

type OrderTest = Extract<AttributeTest, { readonly test: Relation | 'btwn' }>

const isNumberTest = (test: OrderTest): test is NumberTest =>
  typeof (test.test === 'btwn' ? test.low : test.value) !== 'string'

function compileNumberAt({ column, json }: Place, test: NumberTest): Sql {
  return column?.type === 'number' ? compileNumberColumn(column, json, test) : compileNumber(json, test)
}

/** Compares texts by code point. */
function compileOrder(place: Place, test: Exclude<OrderTest, NumberTest>): Sql {
  const compare = (relation: Relation, operand: string): Sql =>
    sql`${textOf(place)} ${RELATIONS[relation]} ${text(operand)}`
  const comparisons =
    test.test === 'btwn' ? [compare('gte', test.low), compare('lte', test.high)] : [compare(test.test, test.value)]
  return allOf([hasText(place), ...comparisons])
}

/** Null has no text form. */
const hasText = ({ column, json, present }: Place): Sql =>
  column?.type === 'text' ? present : sql`${json} NOT IN ('', 'null')`

type MemberTest = Extract<AttributeTest, { readonly test: 'in' | 'not_in' }>

/** Whether the value is one of the given ones, or a list that contains one of them (`all`: each of them). */
function isMember(place: Place, { values, all }: MemberTest): Sql {
  if (values.length === 0) return sql`false`
  const scalars = values.filter(isScalar)
  const structures = values.filter(value => !isScalar(value))
  const isStructure = structures.map(value => contains(place, value))
  if (!all) return anyOf([isAny(place, scalars), ...isStructure, ...structures.map(one => holds(place, one))])
  return anyOf([sql`${place.json} IN ${canonicalSet(scalars)}`, ...isStructure, holdsAll(place, scalars, structures)])
}

/** The value and its items in one list: a set costs the engine more than anything else here. */
const isAny = (place: Place, scalars: readonly Json[]): Sql =>
  sql`arrayExists(x -> x IN ${canonicalSet(scalars)}, arrayPushFront(${itemsOf(place)}, ${place.json}))`

const itemsOf = (place: Place): Sql => itemsIn(place.json)

const holds = (place: Place, structure: Json): Sql =>
  sql`arrayExists(x -> ${contains(itemPlace(), structure)}, ${itemsOf(place)})`

/**
 * Compares the number of distinct items in the set with the set's size: unlike `hasAll`, this is not slow for a long
 * list.
 */
function holdsAll(place: Place, scalars: readonly Json[], structures: readonly Json[]): Sql {
  const found = sql`length(arrayDistinct(arrayFilter(x -> x IN ${canonicalSet(scalars)}, ${itemsOf(place)})))`
  const wanted = new Set(scalars.map(engineJson)).size
  return allOf([sql`${found} = ${count(wanted)}`, ...structures.map(one => holds(place, one))])
}
