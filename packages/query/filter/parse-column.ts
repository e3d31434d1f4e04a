import { invalid, isRawJson, type Json, parseNearestTime, parseSpanId, parseTraceId, parseUuid } from '@spanhouse/model'
import type { ColumnKind } from '../column.ts'
import type { RawCondition } from '../raw-condition.ts'
import type { ColumnField } from './fields.ts'
import {
  type ColumnTest,
  type ColumnValue,
  PATTERN_LENGTH_MAX,
  PATTERN_WILDCARDS_MAX,
  type TextTest,
} from './filter.ts'
import { boundedText, quote, refuseValue, scalarText, valueList, valuePair } from './parse-value.ts'

/** The normal form of a value of each kind, or null if it is not valid. */
const PARSE: Record<ColumnKind, (value: Json, field: ColumnField) => ColumnValue | null> = {
  trace_id: value => (typeof value === 'string' ? parseTraceId(value) : null),
  span_id: value => (typeof value === 'string' ? parseSpanId(value) : null),
  uuid: value => (typeof value === 'string' ? parseUuid(value) : null),
  time: parseNearestTime,
  enum: (value, field) => field.values?.find(one => one === value) ?? null,
  text: (value, field) => scalarText(field.name, value),
}

/** Parses a test of a plain field. Throws `invalid` with the field's name. The operator has been checked already. */
export function parseColumnTest(field: ColumnField, condition: RawCondition): ColumnTest {
  const { operator, value } = condition
  const parse = (one: Json): ColumnValue => parseColumnValue(field, one)
  switch (operator) {
    case 'exists':
    case 'not_exists':
      refuseValue(field.name, operator, value)
      return { test: operator }
    case 'is':
      return value === null ? nullTest(field, 'not_exists') : { test: 'eq', value: parse(value) }
    case 'is_not':
      return value === null ? nullTest(field, 'exists') : { test: 'neq', value: parse(value) }
    case 'btwn': {
      const [low, high] = valuePair(field.name, value)
      return { test: 'btwn', low: parse(low), high: parse(high) }
    }
    case 'in':
    case 'not_in':
      return { test: operator, values: valueList(field.name, operator, value).map(parse) }
    case 'eq':
    case 'neq':
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return { test: operator, value: parse(value) }
    default:
      return parseTextTest(field.name, condition, columnText(field, value))
  }
}

function parseColumnValue(field: ColumnField, value: Json): ColumnValue {
  const parsed = value === null ? null : PARSE[field.kind](value, field)
  if (parsed === null) throw invalid(`${field.name}: ${shown(value)} is not a valid value for this field`)
  return parsed
}

const shown = (value: Json): string => {
  if (typeof value === 'string') return quote(value)
  return typeof value === 'object' && value !== null && !isRawJson(value) ? 'an object or list' : JSON.stringify(value)
}

/** Null tests for the absence of a value; span and trace ids are never absent. */
function nullTest(field: ColumnField, test: 'exists' | 'not_exists'): ColumnTest {
  const isId = field.kind === 'trace_id' || field.kind === 'span_id'
  if (isId && field.present === undefined) throw invalid(`${field.name}: the value must not be null`)
  return { test }
}

function columnText(field: ColumnField, value: Json): string {
  if (field.kind !== 'time') return scalarText(field.name, value)
  if (typeof value !== 'string') throw invalid(`${field.name}: text operators take a string`)
  return boundedText(field.name, value)
}

/**
 * Parses a text operator: `matches` is `contains`, or equality with the option `exact_match`. Throws an Error on other
 * operators.
 */
export function parseTextTest(
  name: string,
  { operator, options }: Pick<RawCondition, 'operator' | 'options'>,
  text: string,
): TextTest {
  const { caseSensitive } = options
  switch (operator) {
    case 'startswith':
    case 'endswith':
    case 'contains':
      return { test: operator, text, caseSensitive }
    case 'like':
      return { test: operator, text: boundedPattern(name, text), caseSensitive }
    case 'matches':
      return { test: options.exactMatch ? 'equals' : 'contains', text, caseSensitive }
    default:
      throw new Error(`${operator} is not a text operator`)
  }
}

function boundedPattern(name: string, pattern: string): string {
  if (pattern.length > PATTERN_LENGTH_MAX)
    throw invalid(`${name}: a pattern may have at most ${PATTERN_LENGTH_MAX} characters; "contains" takes longer texts`)
  if ((pattern.match(/[%_]/g)?.length ?? 0) > PATTERN_WILDCARDS_MAX)
    throw invalid(`${name}: a pattern may have at most ${PATTERN_WILDCARDS_MAX} wildcards (% and _)`)
  return pattern
}
