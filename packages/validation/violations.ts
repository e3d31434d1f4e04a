import type { Violation } from '@spanhouse/model'
import type { z } from 'zod'
import { ISSUES_MAX } from './collections.ts'
import { echoOf } from './echo.ts'

type Issue = z.core.$ZodIssue
type Path = (string | number)[]

/** What zod expects and does not get, as the interface calls it. */
const TYPES: Record<string, [type: string, msg: string]> = {
  string: ['string_type', 'Input should be a valid string'],
  number: ['float_type', 'Input should be a valid number'],
  int: ['int_type', 'Input should be a valid integer'],
  boolean: ['bool_type', 'Input should be a valid boolean'],
  array: ['list_type', 'Input should be a valid list'],
  object: ['model_attributes_type', 'Input should be a valid object'],
  record: ['dict_type', 'Input should be a valid dictionary'],
  map: ['dict_type', 'Input should be a valid dictionary'],
  null: ['none_required', 'Input should be null'],
}

/** What may be too small or too large, and what the interface calls that. */
const SMALL: Record<string, string> = { string: 'string_too_short', array: 'too_short', number: 'greater_than_equal' }
const LARGE: Record<string, string> = { string: 'string_too_long', array: 'too_long', number: 'less_than_equal' }

/**
 * The violated rules in the interface's form, the first twenty of them and whether there are more. `place` is what the locations start with; `root` is the value that was
 * read, which a missing member's parent is taken from.
 */
export function violationsOf(issues: readonly Issue[], place: Path, root: unknown): Violation[] {
  const all = issues.slice(0, ISSUES_MAX + 1).flatMap(issue => violationsOfIssue(issue, place, root))
  return all.length > ISSUES_MAX ? [...all.slice(0, ISSUES_MAX), more(place)] : all
}

const more = (place: Path): Violation => ({
  type: 'too_many_violations',
  loc: place,
  msg: `and more: only the first ${ISSUES_MAX} are listed`,
})

function violationsOfIssue(issue: Issue, place: Path, root: unknown): Violation[] {
  const loc = [...place, ...(issue.path as Path)]
  const value = valueAt(root, issue.path)
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys
        .slice(0, ISSUES_MAX + 1)
        .map(key =>
          violation('extra_forbidden', 'Extra inputs are not permitted', [...loc, key], valueAt(value, [key])),
        )
    case 'invalid_union':
      return unionViolations(issue, loc, value)
    case 'invalid_key':
    case 'invalid_element':
      return issue.issues.flatMap(inner => violationsOfIssue(inner, loc, value))
    case 'invalid_type':
      return [value === undefined ? missing(loc, root, issue.path) : typeViolation(issue.expected, loc, value)]
    default:
      return [value === undefined ? missing(loc, root, issue.path) : violation(...nameOf(issue), loc, value)]
  }
}

/** Of several shapes of which none fits, the one that fits best is spoken about: its first mistake lies deepest. */
function unionViolations(issue: Extract<Issue, { code: 'invalid_union' }>, loc: Path, value: unknown): Violation[] {
  const options = issue.errors.map(errors => ({ errors, depth: Math.max(0, ...errors.map(one => one.path.length)) }))
  const best = options.toSorted((a, b) => b.depth - a.depth)[0]
  if (!best || best.errors.length === 0) return [violation('value_error', issue.message, loc, value)]
  return best.errors.flatMap(inner => violationsOfIssue(inner, loc, value))
}

function typeViolation(expected: string, loc: Path, value: unknown): Violation {
  const [type, msg] = TYPES[expected] ?? ['value_error', `Input should be a valid ${expected}`]
  return violation(type, msg, loc, value)
}

const missing = (loc: Path, root: unknown, path: readonly PropertyKey[]): Violation => ({
  type: 'missing',
  loc,
  msg: 'Field required',
  input: path.length === 0 ? null : (echoOf(valueAt(root, path.slice(0, -1))) ?? null),
})

function nameOf(issue: Issue): [type: string, msg: string] {
  if (issue.code === 'too_small') return [SMALL[issue.origin] ?? 'too_short', issue.message]
  if (issue.code === 'too_big') return [LARGE[issue.origin] ?? 'too_long', issue.message]
  if (issue.code === 'invalid_format') return ['string_pattern_mismatch', issue.message]
  if (issue.code === 'invalid_value') return ['enum', issue.message]
  if (issue.code === 'custom') return [String(issue.params?.type ?? 'value_error'), issue.message]
  return ['value_error', issue.message]
}

function violation(type: string, msg: string, loc: Path, value: unknown): Violation {
  const input = echoOf(value, loc.at(-1))
  return { type, loc, msg, ...(input === undefined ? {} : { input }) }
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, step) => (value as Record<PropertyKey, unknown> | undefined)?.[step], root)
}
