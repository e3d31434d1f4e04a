import {
  indexOfText,
  isJsonObject,
  type Json,
  type Micros,
  microsToIso,
  SequenceSearch,
  withoutTrailing,
} from '@spanhouse/model'
import { isTextTest } from '../compile/compile-text.ts'
import { WORD } from '../filter/content-query.ts'
import { type ColumnField, FIELDS, type ListField, type ListMember } from '../filter/fields.ts'
import type {
  AttributeTest,
  ColumnTest,
  ColumnValue,
  Condition,
  ContentQuery,
  Filter,
  Group,
  ListTest,
  Pattern,
  Phrase,
} from '../filter/filter.ts'
import {
  attributeAt,
  containsJson,
  type Found,
  holds,
  itself,
  lengthOf,
  type MatchableSpan,
  textOf,
} from './match-json.ts'
import { compareTexts, matchesNumber, matchesText, related } from './match-value.ts'
import { MatchWork, STEPS_OF_VALUE } from './match-work.ts'

/**
 * Whether a span satisfies a filter: the same result as that of the SQL from `compileFilter`. Throws `MatchTooLong`
 * when the limit of work is exceeded.
 */
export function matchSpan(filter: Filter, span: MatchableSpan, work = new MatchWork()): boolean {
  return filter.kind === 'group' ? matchGroup(filter, span, work) : matchCondition(filter, span, work)
}

const GROUPS: Record<Group['operator'], (members: readonly Filter[], holds: (one: Filter) => boolean) => boolean> = {
  and: (members, holds) => members.every(holds),
  or: (members, holds) => members.some(holds),
  not: (members, holds) => !members.every(holds),
  nand: (members, holds) => !members.every(holds),
  nor: (members, holds) => !members.some(holds),
}

const matchGroup = ({ operator, members }: Group, span: MatchableSpan, work: MatchWork): boolean =>
  GROUPS[operator](members, member => matchSpan(member, span, work))

function matchCondition(condition: Condition, span: MatchableSpan, work: MatchWork): boolean {
  work.spend(1)
  switch (condition.kind) {
    case 'attribute':
      return matchAttribute(attributeAt(span, condition.path), condition.test, work)
    case 'content':
      return matchContent(condition.query, span, work)
    case 'list':
      return matchList(
        FIELDS.get(condition.field) as ListField,
        span.lists[condition.field] ?? [],
        condition.test,
        work,
      )
    case 'column':
      return matchColumn(FIELDS.get(condition.field) as ColumnField, span.fields[condition.field], condition.test, work)
  }
}

/** A field without a value satisfies only `not_exists`. */
function matchColumn(
  { kind }: ColumnField,
  value: ColumnValue | undefined,
  test: ColumnTest,
  work: MatchWork,
): boolean {
  if (test.test === 'not_exists') return value === undefined
  if (test.test === 'exists') return value !== undefined
  if (value === undefined) return false
  if (isTextTest(test)) return matchesText(kind === 'time' ? timeText(value as Micros) : String(value), test, work)
  work.spend(String(value).length * ('values' in test ? test.values.length : 1))
  if ('low' in test) return compare(value, test.low) >= 0 && compare(value, test.high) <= 0
  if ('value' in test) return related(test.test, compare(value, test.value))
  const { values } = test as { values: readonly ColumnValue[] }
  return values.some(one => compare(value, one) === 0) === (test.test === 'in')
}

const compare = (one: ColumnValue, other: ColumnValue): number =>
  typeof one === 'number' ? one - Number(other) : compareTexts(one, String(other))

/** As the engine writes it, without trailing zeros of the fraction: `2026-02-03 09:15:00.25+00`. */
function timeText(time: Micros): string {
  const text = microsToIso(time).replace('T', ' ').replace('Z', '')
  return `${text.includes('.') ? withoutTrailing(text, '0') : text}+00`
}

function matchAttribute(found: Found, test: AttributeTest, work: MatchWork): boolean {
  if (isTextTest(test)) {
    const text = textOf(found.value)
    return text !== undefined && matchesText(text, test, work)
  }
  switch (test.test) {
    case 'exists':
      return found.isPresent
    case 'not_exists':
      return !found.isPresent
    case 'is':
      return containsJson(found, test.value, work)
    case 'is_not':
      return !containsJson(found, test.value, work)
    case 'in':
      return isMember(found, test, work)
    case 'not_in':
      return found.isPresent && !isMember(found, test, work)
    default:
      return matchOrder(textOf(found.value), test, work)
  }
}

type OrderTest = Exclude<AttributeTest, { readonly test: 'exists' | 'not_exists' | 'is' | 'is_not' | 'in' | 'not_in' }>

function matchOrder(text: string | undefined, test: OrderTest, work: MatchWork): boolean {
  if (text === undefined || isTextTest(test)) return false
  work.spend(text.length)
  if (test.test === 'btwn') {
    const { low, high } = test
    if (typeof low !== 'string' || typeof high !== 'string') return matchesNumber(text, test as never, work)
    return compareTexts(text, low) >= 0 && compareTexts(text, high) <= 0
  }
  if (typeof test.value !== 'string') return matchesNumber(text, test as never, work)
  return related(test.test, compareTexts(text, test.value))
}

type MemberTest = Extract<AttributeTest, { readonly test: 'in' | 'not_in' }>

function isMember(found: Found, { values, all }: MemberTest, work: MatchWork): boolean {
  if (values.length === 0) return false
  if (values.some(value => containsJson(found, value, work))) return true
  const items = found.value
  if (!Array.isArray(items)) return false
  return all ? values.every(value => holds(items, value, work)) : values.some(value => holds(items, value, work))
}

function matchList(field: ListField, items: readonly Json[], test: ListTest, work: MatchWork): boolean {
  switch (test.test) {
    case 'exists':
      return items.length > 0
    case 'not_exists':
      return items.length === 0
    case 'has':
    case 'has_not':
      return items.some(item => hasMember(item, test, work)) === (test.test === 'has')
    case 'in':
    case 'not_in':
      return hasPatterns(field, items, test, work) === (test.test === 'in')
  }
}

const hasMember = (
  item: Json,
  { paths, value }: Extract<ListTest, { readonly test: 'has' | 'has_not' }>,
  work: MatchWork,
): boolean => paths.some(path => containsJson(memberAt(item, path), value, work))

const memberAt = (item: Json, path: readonly string[]): Found =>
  path.reduce((found, key) => found.member(key), itself(item))

type PatternTest = Extract<ListTest, { readonly test: 'in' | 'not_in' }>

function hasPatterns(
  field: ListField,
  items: readonly Json[],
  { patterns, all }: PatternTest,
  work: MatchWork,
): boolean {
  const isThere = (pattern: Pattern): boolean =>
    items.some(item => {
      work.spend(field.members.length)
      return fitsPattern(field, item, pattern)
    })
  return all && patterns.length > 0 ? patterns.every(isThere) : patterns.some(isThere)
}

const fitsPattern = (field: ListField, item: Json, pattern: Pattern): boolean =>
  field.members.every(
    member => !Object.hasOwn(pattern, member.name) || memberText(item, member) === pattern[member.name],
  )

/** A stored value in the normal form of patterns; empty if there is none. */
function memberText(item: Json, { path, parse, stored }: ListMember): string {
  const text = textOf(memberAt(item, path).value) ?? ''
  return stored ? (parse(text) ?? text) : text
}

function matchContent(query: ContentQuery, { attributes, data, lists }: MatchableSpan, work: MatchWork): boolean {
  return [[attributes, data], lists.events ?? []].some(document => {
    const texts: string[] = []
    for (const one of document) addTexts(texts, one, work)
    if (document === lists.events && document.length === 0) return false
    const has = (phrase: Phrase): boolean => texts.some(text => isIn(text, phrase, work))
    return query.some(({ all, none }) => all.every(has) && !none.some(has))
  })
}

/** Adds all texts in a value, lower-cased; keys are not included. */
function addTexts(texts: string[], value: Json, work: MatchWork): void {
  work.spend(STEPS_OF_VALUE + lengthOf(value))
  if (typeof value === 'string') texts.push(value.toLowerCase())
  else if (Array.isArray(value) || isJsonObject(value))
    for (const one of Object.values(value)) addTexts(texts, one, work)
}

/** Whether the words follow each other in the text, as whole words. */
function isIn(text: string, phrase: Phrase, work: MatchWork): boolean {
  work.spend(STEPS_OF_VALUE + text.length)
  if (!phrase.every(word => indexOfText(text, word) !== -1)) return false
  const search = new SequenceSearch(phrase)
  return text.matchAll(WORD).some(([word]) => search.next(word))
}
