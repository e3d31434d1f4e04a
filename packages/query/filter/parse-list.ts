import { invalid, isJsonObject, type Json, type JsonObject } from '@spanhouse/model'
import type { RawCondition } from '../raw-condition.ts'
import type { ListField, ListMember } from './fields.ts'
import type { ListTest, Pattern } from './filter.ts'
import { jsonValue, quote, refuseValue, scalarText, valueList } from './parse-value.ts'

/** Parses a test of a field that is a list of objects. Throws `invalid` with the field's name. */
export function parseListTest(field: ListField, condition: RawCondition): ListTest {
  const { operator, key, value, options } = condition
  if (operator === 'has' || operator === 'has_not') {
    return { test: operator, ...parseMemberValue(field, condition) }
  }
  if (key !== '') throw invalid(`${field.name}: operator ${quote(operator)} takes no key`)
  if (operator === 'in' || operator === 'not_in') {
    const patterns = valueList(field.name, operator, value).map(item => parsePattern(field, item))
    return { test: operator, patterns: patterns.filter(one => one !== null), all: options.all }
  }
  refuseValue(field.name, operator, value)
  return { test: operator === 'exists' ? 'exists' : 'not_exists' }
}

/** The paths that `has` tests: the member that stands for the item, or `attributes.` with a key, dotted or nested. */
function parseMemberValue(field: ListField, { key, value, count }: RawCondition) {
  if (value === null) throw invalid(`${field.name}: a value is required`)
  if (field.textMember !== undefined && key === field.textMember) {
    return { paths: [[key]], value: normalised(field, memberNamed(field, key), value) }
  }
  const [first, ...rest] = key.split('.')
  const dotted = rest.join('.')
  if (first !== 'attributes' || dotted === '') throw invalid(`${field.name}: \`key\` must start with "attributes."`)
  const paths =
    rest.length === 1
      ? [['attributes', dotted]]
      : [
          ['attributes', dotted],
          ['attributes', ...rest],
        ]
  return { paths, value: jsonValue(field.name, value, count) }
}

function memberNamed(field: ListField, name: string): ListMember {
  const member = field.members.find(one => one.name === name)
  if (member === undefined) throw new Error(`${field.name} has no member ${name}`)
  return member
}

/** Null for an item that matches nothing because it has none of the members. */
function parsePattern(field: ListField, item: Json): Pattern | null {
  const object = typeof item === 'string' && field.textMember !== undefined ? { [field.textMember]: item } : item
  if (!isJsonObject(object)) throw invalid(`${field.name}: the value must be a list of objects`)
  const found = field.members
    .map(member => [member, valueAt(object, member.path)] as const)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([member, value]) => [member, normalised(field, member, value as Json)] as const)
  const names = new Set(found.map(([member]) => member.name))
  const relevant = found.filter(([{ unless }]) => unless === undefined || !names.has(unless))
  if (relevant.length === 0 && !field.emptyMatchesAny) return null
  return Object.fromEntries(relevant.map(([member, value]) => [member.name, value]))
}

function normalised(field: ListField, member: ListMember, value: Json): string {
  const text = scalarText(field.name, value)
  const parsed = text === '' ? null : member.parse(text)
  if (parsed === null) throw invalid(`${field.name}: ${quote(text)} is not a valid ${member.path.join('.')}`)
  return parsed
}

/** The value at a path, nested or under its dotted name. */
function valueAt(object: JsonObject, path: readonly string[]): Json | undefined {
  const dotted = ownValue(object, path.join('.'))
  if (dotted !== undefined) return dotted
  return path.reduce<Json | undefined>((at, key) => (isJsonObject(at) ? ownValue(at, key) : undefined), object)
}

const ownValue = (object: JsonObject, key: string): Json | undefined =>
  Object.hasOwn(object, key) ? object[key] : undefined
