import { FAULTS, invalid, type JsonObject } from '@spanhouse/model'
import type { Count, Options, RawCondition } from '../raw-condition.ts'
import { parseContentQuery } from './content-query.ts'
import { FIELD_KINDS, FIELDS, type Field, OPERATORS } from './fields.ts'
import {
  CONDITIONS_MAX,
  type Condition,
  FILTER_DEPTH_MAX,
  FILTER_VALUES_MAX,
  type Filter,
  GROUP_OPERATORS,
} from './filter.ts'
import { parseAttributeCondition } from './parse-attribute.ts'
import { parseColumnTest } from './parse-column.ts'
import { parseListTest } from './parse-list.ts'
import { quote } from './parse-value.ts'
import {
  type Location,
  malformed,
  missing,
  oneOf,
  optional,
  readBoolean,
  readList,
  readObject,
  readText,
  refuseUnknown,
} from './shape.ts'

/**
 * Parses a filter from JSON. An empty filter (null, or no conditions at any level) gives undefined: no restriction.
 * Throws a `Problem`: `unprocessable` (422) if the JSON has the wrong shape, with locations below `loc`; `invalid`
 * (400) with the field's name if a condition is not valid or exceeds a limit, and with the place of an unknown member.
 */
export function parseFilter(json: unknown, loc: Location): Filter | undefined {
  if (json === null || json === undefined) return undefined
  const group = readObject(json, loc)
  if (group.field !== undefined) {
    throw malformed([FAULTS.extra[0], 'A condition must be in the list `conditions`'], [...loc, 'field'], group.field)
  }
  let conditions = 0
  const count: Count = (more = 1) => {
    conditions += more
    if (conditions > CONDITIONS_MAX) throw invalid(`filtering: at most ${CONDITIONS_MAX} conditions are allowed`)
  }
  let values = 0
  const countValues = (more: number): void => {
    values += more
    if (values > FILTER_VALUES_MAX)
      throw invalid(`filtering: at most ${FILTER_VALUES_MAX} values are allowed in all lists together`)
  }
  return parseGroup(group, loc, { depth: 1, count, countValues })
}

const GROUP_MEMBERS = ['operator', 'conditions']
const CONDITION_MEMBERS = ['field', 'key', 'operator', 'value', 'options']
const OPTIONS = ['case_sensitive', 'exact_match', 'all']

interface Context {
  readonly depth: number
  readonly count: Count
  readonly countValues: (values: number) => void
}

function parseGroup(group: JsonObject, loc: Location, context: Context): Filter | undefined {
  if (context.depth > FILTER_DEPTH_MAX)
    throw invalid(`filtering: groups may be nested at most ${FILTER_DEPTH_MAX} levels deep`)
  const operator = optional(group.operator, [...loc, 'operator'], oneOf(GROUP_OPERATORS)) ?? 'and'
  refuseUnknown(group, GROUP_MEMBERS, loc)
  const conditions = group.conditions === undefined ? [] : readList(group.conditions, [...loc, 'conditions'])
  if (operator === 'not' && conditions.length > 1) throw invalid('filtering: a `not` group takes exactly one condition')
  const below = { ...context, depth: context.depth + 1 }
  const members = conditions
    .map((member, index) => parseMember(member, [...loc, 'conditions', index], below))
    .filter(member => member !== undefined)
  return members.length === 0 ? undefined : Object.freeze({ kind: 'group', operator, members: Object.freeze(members) })
}

function parseMember(json: unknown, loc: Location, context: Context): Filter | undefined {
  const member = readObject(json, loc)
  if (member.conditions === undefined) return parseCondition(member, loc, context)
  if (member.field !== undefined) {
    throw malformed(
      [FAULTS.extra[0], 'Input should be either a condition or a group, not both'],
      [...loc, 'field'],
      member.field,
    )
  }
  return parseGroup(member, loc, context)
}

function parseCondition(json: JsonObject, loc: Location, { count, countValues }: Context): Condition {
  count()
  if (Array.isArray(json.value)) countValues(json.value.length)
  const condition = readCondition(json, loc, count)
  const field = FIELDS.get(condition.field)
  if (field === undefined) throw invalid(`${quote(condition.field)}: unknown field`)
  if (!FIELD_KINDS[field.kind].has(condition.operator)) {
    throw invalid(`${field.name}: operator ${quote(condition.operator)} is not allowed`)
  }
  return frozen(parseTest(field, condition))
}

function readCondition(json: JsonObject, loc: Location, count: Count): RawCondition {
  if (json.field === undefined || json.field === null) throw missing(json, [...loc, 'field'])
  refuseUnknown(json, CONDITION_MEMBERS, loc)
  return {
    field: readText(json.field, [...loc, 'field']),
    operator: optional(json.operator, [...loc, 'operator'], oneOf(OPERATORS)) ?? 'is',
    key: optional(json.key, [...loc, 'key'], readText) ?? '',
    value: json.value ?? null,
    options: readOptions(json.options, [...loc, 'options']),
    count,
  }
}

function readOptions(value: unknown, loc: Location): Options {
  const options = optional(value, loc, readObject) ?? {}
  refuseUnknown(options, OPTIONS, loc)
  const flag = (name: string): boolean => optional(options[name], [...loc, name], readBoolean) ?? false
  return { caseSensitive: flag('case_sensitive'), exactMatch: flag('exact_match'), all: flag('all') }
}

function parseTest(field: Field, condition: RawCondition): Condition {
  if (field.kind === 'attributes') return parseAttributeCondition(condition)
  if (field.kind === 'list') return { kind: 'list', field: field.name, test: parseListTest(field, condition) }
  if (condition.key !== '') throw invalid(`${field.name}: takes no key`)
  if (field.kind === 'content') return { kind: 'content', query: parseContentQuery(condition) }
  return { kind: 'column', field: field.name, test: parseColumnTest(field, condition) }
}

function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) Object.values(value).forEach(frozen)
  return Object.freeze(value)
}
