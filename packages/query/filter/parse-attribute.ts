import { invalid, type Json } from '@spanhouse/model'
import type { RawCondition } from '../raw-condition.ts'
import { type AttributeCondition, type AttributeTest, isNumeric, PATH_SEGMENTS_MAX, type Relation } from './filter.ts'
import { parseTextTest } from './parse-column.ts'
import { boundedText, finite, jsonValue, refuseValue, scalarText, valueList, valuePair } from './parse-value.ts'

/** Parses a condition on an attribute. Throws `invalid` with the attribute's name. */
export function parseAttributeCondition(condition: RawCondition): AttributeCondition {
  if (condition.key === '') throw invalid('attributes: `key` is required')
  const path = boundedText('attributes', condition.key).split('.')
  if (path.length > PATH_SEGMENTS_MAX)
    throw invalid(`attributes: \`key\` may have at most ${PATH_SEGMENTS_MAX} segments`)
  condition.count(path.length)
  return { kind: 'attribute', path, test: parseAttributeTest(condition) }
}

function parseAttributeTest(condition: RawCondition): AttributeTest {
  const { operator, key, value, options, count } = condition
  const name = `attributes ${key.slice(0, 100)}`
  const json = (one: Json): Json => jsonValue(name, one, count)
  switch (operator) {
    case 'exists':
    case 'not_exists':
      refuseValue(name, operator, value)
      return { test: operator }
    case 'is':
    case 'has':
      return { test: 'is', value: json(value) }
    case 'is_not':
    case 'has_not':
      return { test: 'is_not', value: json(value) }
    case 'in':
    case 'not_in':
      return { test: operator, values: valueList(name, operator, value).map(json), all: options.all }
    case 'btwn':
      return parseBetween(name, value)
    case 'eq':
    case 'neq':
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return parseRelation(name, operator, value)
    default:
      return parseTextTest(name, condition, scalarText(name, value))
  }
}

/** Numbers compare as numbers, strings as strings; a boolean is compared for equality, as JSON. */
function parseRelation(name: string, test: Relation, value: Json): AttributeTest {
  if (isNumeric(value)) return { test, value: finite(name, value) }
  if (typeof value === 'string') return { test, value: boundedText(name, value) }
  if (typeof value === 'boolean' && test === 'eq') return { test: 'is', value }
  if (typeof value === 'boolean' && test === 'neq') return { test: 'is_not', value }
  throw invalid(`${name}: operator "${test}" takes a number or a string`)
}

function parseBetween(name: string, value: Json): AttributeTest {
  const [low, high] = valuePair(name, value)
  if (isNumeric(low) && isNumeric(high)) return { test: 'btwn', low: finite(name, low), high: finite(name, high) }
  if (typeof low === 'string' && typeof high === 'string') {
    return { test: 'btwn', low: boundedText(name, low), high: boundedText(name, high) }
  }
  throw invalid(`${name}: operator "btwn" takes two numbers or two strings`)
}
