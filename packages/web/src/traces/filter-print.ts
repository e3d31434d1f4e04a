import type { Condition, Group } from '../api/filtering.ts'
import { FIELDS, RELATIONS, testOf } from './filter-fields.ts'
import { quoted } from './filter-text.ts'

/**
 * The text of a filter, for the filter line: parsing it gives the same filter. Whatever has no form of its own in the
 * line is JSON in braces.
 */
export function printFilter(filter: Condition | Group): string {
  const group = 'conditions' in filter ? filter : { operator: 'and' as const, conditions: [filter] }
  if (group.operator === 'and') return group.conditions.map(inner => printTerm(inner)).join(' ')
  return printTerm(group)
}

function printTerm(term: Condition | Group): string {
  const short = Object.keys(FIELDS)
    .filter(name => FIELDS[name]?.kind === 'meaning')
    .map(name => printMeaning(name, term))
    .find(text => text !== undefined)
  if (short !== undefined) return short
  const absent = FIELDS.no?.values?.find(name => isSame(testOf({ field: 'no', value: name }), term))
  if (absent !== undefined) return `no:${absent}`
  if (!('conditions' in term)) return printTest(term) ?? JSON.stringify(term)
  const { operator = 'and', conditions } = term
  const [only] = conditions
  if (operator === 'not' && conditions.length === 1 && only) return `-${printTerm(only)}`
  if ((operator !== 'and' && operator !== 'or') || only === undefined) return JSON.stringify(term)
  if (conditions.length === 1) return printTerm(only)
  return `(${conditions.map(printTerm).join(operator === 'or' ? ' or ' : ' ')})`
}

/** A test of one of the fields, if the line has a form from which just this test is read again. */
function printTest(condition: Condition): string | undefined {
  const { field, key, operator = 'is', value } = condition
  if (field === 'content' && operator === 'contains' && typeof value === 'string') return phrase(value)
  const scalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
  if (!scalar || String(value) === '') return undefined
  const sign = Object.keys(RELATIONS).find(one => RELATIONS[one] === operator)
  const known = Object.keys(FIELDS).find(name => FIELDS[name]?.field === field && FIELDS[name]?.key === key)
  const name = known ?? (field === 'attributes' && ATTRIBUTE.test(key ?? '') ? key : undefined)
  if (name === undefined) return undefined
  const shown = field === 'status_code' ? String(value).replace('STATUS_CODE_', '').toLowerCase() : String(value)
  const tried = sign ? [sign] : [':', '=']
  const found = tried.find(one => isSame(read({ field: name, operator: one, value: shown }), condition))
  return found && `${name}${found}${quoted(shown)}`
}

/** As the line reads the name of an attribute. */
const ATTRIBUTE = /^[\p{L}_][\p{L}\p{N}_.-]*$/u

/** A word or phrase that is not read as anything else. */
const phrase = (text: string): string | undefined => (text === '' ? undefined : `"${text.replace(/["\\]/g, '\\$&')}"`)

function printMeaning(name: string, term: Condition | Group): string | undefined {
  if (!('conditions' in term)) return undefined
  const last = JSON.stringify(term.conditions.at(-1))
  const value = /"operator":"is","value":("(?:[^"\\]|\\.)*")\}\]\}$/.exec(last ?? '')?.[1]
  if (value === undefined) return undefined
  const text = JSON.parse(value) as string
  return text !== '' && isSame(testOf({ field: name, value: text }), term) ? `${name}:${quoted(text)}` : undefined
}

function read(typed: Parameters<typeof testOf>[0]): Condition | Group | undefined {
  try {
    return testOf(typed)
  } catch {
    return undefined
  }
}

const isSame = (one: object | undefined, other: object): boolean => canonical(one) === canonical(other)

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_key, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  ) ?? ''
