import { isJsonObject, type Json, type Micros, microsToIso } from '@spanhouse/model'
import { isTextTest } from './compile-text.ts'
import { WORD_CHARACTERS } from './content-query.ts'
import { type ColumnField, FIELDS, type ListField, type ListMember } from './fields.ts'
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
} from './filter.ts'
import { attributeAt, containsJson, type Found, holds, itself, type MatchableSpan, textOf } from './match-json.ts'
import { compareTexts, matchesNumber, matchesText, related } from './match-value.ts'

/** Whether a span satisfies a filter: the same answer as that of the statement that `compileFilter` makes of it. */
export function matchSpan(filter: Filter, span: MatchableSpan): boolean {
  return filter.kind === 'group' ? matchGroup(filter, span) : matchCondition(filter, span)
}

const GROUPS: Record<Group['operator'], (members: readonly Filter[], holds: (one: Filter) => boolean) => boolean> = {
  and: (members, holds) => members.every(holds),
  or: (members, holds) => members.some(holds),
  not: (members, holds) => !members.every(holds),
  nand: (members, holds) => !members.every(holds),
  nor: (members, holds) => !members.some(holds),
}

const matchGroup = ({ operator, members }: Group, span: MatchableSpan): boolean =>
  GROUPS[operator](members, member => matchSpan(member, span))

function matchCondition(condition: Condition, span: MatchableSpan): boolean {
  switch (condition.kind) {
    case 'attribute':
      return matchAttribute(attributeAt(span, condition.path), condition.test)
    case 'content':
      return matchContent(condition.query, span)
    case 'list':
      return matchList(FIELDS.get(condition.field) as ListField, span.lists[condition.field] ?? [], condition.test)
    case 'column':
      return matchColumn(FIELDS.get(condition.field) as ColumnField, span.fields[condition.field], condition.test)
  }
}

/** A field without a value satisfies `not_exists` and nothing else. */
function matchColumn({ kind }: ColumnField, value: ColumnValue | undefined, test: ColumnTest): boolean {
  if (test.test === 'not_exists') return value === undefined
  if (test.test === 'exists') return value !== undefined
  if (value === undefined) return false
  if (isTextTest(test)) return matchesText(kind === 'time' ? timeText(value as Micros) : String(value), test)
  if ('low' in test) return compare(value, test.low) >= 0 && compare(value, test.high) <= 0
  if ('value' in test) return related(test.test, compare(value, test.value))
  const { values } = test as { values: readonly ColumnValue[] }
  return values.some(one => compare(value, one) === 0) === (test.test === 'in')
}

const compare = (one: ColumnValue, other: ColumnValue): number =>
  typeof one === 'number' ? one - Number(other) : compareTexts(one, String(other))

/** As the engine writes it, without zeros at the end of the fraction: `2026-02-03 09:15:00.25+00`. */
const timeText = (time: Micros): string =>
  `${microsToIso(time)
    .replace('T', ' ')
    .replace('Z', '')
    .replace(/(\.\d*?)0+$/, '$1')}+00`

function matchAttribute(found: Found, test: AttributeTest): boolean {
  if (isTextTest(test)) {
    const text = textOf(found.value)
    return text !== undefined && matchesText(text, test)
  }
  switch (test.test) {
    case 'exists':
      return found.isPresent
    case 'not_exists':
      return !found.isPresent
    case 'is':
      return containsJson(found, test.value)
    case 'is_not':
      return !containsJson(found, test.value)
    case 'in':
      return isMember(found, test)
    case 'not_in':
      return found.isPresent && !isMember(found, test)
    default:
      return matchOrder(textOf(found.value), test)
  }
}

type OrderTest = Exclude<AttributeTest, { readonly test: 'exists' | 'not_exists' | 'is' | 'is_not' | 'in' | 'not_in' }>

function matchOrder(text: string | undefined, test: OrderTest): boolean {
  if (text === undefined || isTextTest(test)) return false
  if (test.test === 'btwn') {
    const { low, high } = test
    if (typeof low !== 'string' || typeof high !== 'string') return matchesNumber(text, test as never)
    return compareTexts(text, low) >= 0 && compareTexts(text, high) <= 0
  }
  if (typeof test.value !== 'string') return matchesNumber(text, test as never)
  return related(test.test, compareTexts(text, test.value))
}

type MemberTest = Extract<AttributeTest, { readonly test: 'in' | 'not_in' }>

function isMember(found: Found, { values, all }: MemberTest): boolean {
  if (values.length === 0) return false
  if (values.some(value => containsJson(found, value))) return true
  const items = found.value
  if (!Array.isArray(items)) return false
  return all ? values.every(value => holds(items, value)) : values.some(value => holds(items, value))
}

function matchList(field: ListField, items: readonly Json[], test: ListTest): boolean {
  switch (test.test) {
    case 'exists':
      return items.length > 0
    case 'not_exists':
      return items.length === 0
    case 'has':
    case 'has_not':
      return items.some(item => hasMember(item, test)) === (test.test === 'has')
    case 'in':
    case 'not_in':
      return hasPatterns(field, items, test) === (test.test === 'in')
  }
}

const hasMember = (item: Json, { paths, value }: Extract<ListTest, { readonly test: 'has' | 'has_not' }>): boolean =>
  paths.some(path => containsJson(memberAt(item, path), value))

const memberAt = (item: Json, path: readonly string[]): Found =>
  path.reduce((found, key) => found.member(key), itself(item))

type PatternTest = Extract<ListTest, { readonly test: 'in' | 'not_in' }>

function hasPatterns(field: ListField, items: readonly Json[], { patterns, all }: PatternTest): boolean {
  const isThere = (pattern: Pattern): boolean => items.some(item => fitsPattern(field, item, pattern))
  return all && patterns.length > 0 ? patterns.every(isThere) : patterns.some(isThere)
}

const fitsPattern = (field: ListField, item: Json, pattern: Pattern): boolean =>
  field.members.every(
    member => !Object.hasOwn(pattern, member.name) || memberText(item, member) === pattern[member.name],
  )

/** A stored value in the normal form that patterns have; empty when there is none. */
function memberText(item: Json, { path, parse, stored }: ListMember): string {
  const text = textOf(memberAt(item, path).value) ?? ''
  return stored ? (parse(text) ?? text) : text
}

function matchContent(query: ContentQuery, { attributes, data, lists }: MatchableSpan): boolean {
  return [[attributes, data], lists.events ?? []].some(document => {
    const texts = document.flatMap(textsIn)
    if (document === lists.events && document.length === 0) return false
    return query.some(
      ({ all, none }) => all.every(phrase => isIn(texts, phrase)) && !none.some(phrase => isIn(texts, phrase)),
    )
  })
}

/** All texts in a value, lower-cased; keys are none. */
function textsIn(value: Json): string[] {
  if (typeof value === 'string') return [value.toLowerCase()]
  return Array.isArray(value) || isJsonObject(value) ? Object.values(value).flatMap(textsIn) : []
}

function isIn(texts: readonly string[], phrase: Phrase): boolean {
  const other = `[^${WORD_CHARACTERS}]`
  const pattern = new RegExp(`(?:^|${other})${phrase.join(`${other}+`)}(?:$|${other})`, 'u')
  return texts.some(text => pattern.test(text))
}
