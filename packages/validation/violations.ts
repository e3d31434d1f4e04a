import {
  above,
  below,
  FAULTS,
  type Fault,
  missingFrom,
  notAbove,
  notBelow,
  notLike,
  notOneOf,
  tooFewItems,
  tooLong,
  tooManyItems,
  tooShort,
  type Violation,
  violationOf,
} from '@spanhouse/model'
import { ISSUES_MAX } from './collections.ts'
import * as z from './zod.ts'

type Issue = z.core.$ZodIssue
type Path = (string | number)[]

/** zod's expected types as faults of the interface. */
const TYPES: Record<string, Fault> = {
  string: FAULTS.string,
  number: FAULTS.number,
  int: FAULTS.integer,
  boolean: FAULTS.boolean,
  array: FAULTS.list,
  object: FAULTS.object,
  record: FAULTS.map,
  map: FAULTS.map,
  null: FAULTS.null,
}

/** The interface's texts for schemas without texts of their own. For other issues the texts are zod's. */
z.config({ localeError: issue => faultOf(issue as Issue)?.[1] ?? english(issue) })

const english = (issue: z.core.$ZodRawIssue) => z.locales.en().localeError(issue)

/** The fault of an issue for which the schema has no text. */
function faultOf(issue: Issue): Fault | undefined {
  switch (issue.code) {
    case 'invalid_value':
      return notOneOf(issue.values)
    case 'invalid_format':
      return issue.format === 'regex' ? notLike(sourceOf(issue.pattern ?? '')) : undefined
    case 'too_small':
      if (issue.origin === 'string') return tooShort(issue.minimum)
      if (issue.origin === 'array') return tooFewItems(issue.minimum, lengthOf(issue.input))
      return issue.inclusive ? below(issue.minimum) : notAbove(issue.minimum)
    case 'too_big':
      if (issue.origin === 'string') return tooLong(issue.maximum)
      if (issue.origin === 'array') return tooManyItems(issue.maximum, lengthOf(issue.input))
      return issue.inclusive ? above(issue.maximum) : notBelow(issue.maximum)
    default:
      return undefined
  }
}

/** Of a regular expression as text, between slashes. */
const sourceOf = (pattern: string): string => pattern.slice(1, pattern.lastIndexOf('/'))

const lengthOf = (input: unknown): unknown => (input as readonly unknown[] | undefined)?.length

/**
 * The violations in the interface's form: the first twenty, plus one that says that there are more. Of several in one
 * place only the first, since zod also checks the length of what is no string. `place` is the prefix of all locations;
 * `root` is the validated value, in which the parents of missing members are found.
 */
export function violationsOf(issues: readonly Issue[], place: Path, root: unknown): Violation[] {
  const found = issues.slice(0, ISSUES_MAX + 1).flatMap(issue => violationsOfIssue(issue, place, root))
  const places = Map.groupBy(found, ({ loc }) => JSON.stringify(loc))
  const all = Array.from(places.values(), ([first]) => first as Violation)
  return Math.max(all.length, issues.length) > ISSUES_MAX ? [...all.slice(0, ISSUES_MAX), more(place)] : all
}

const more = (place: Path): Violation => ({
  type: 'too_many_violations',
  loc: place,
  msg: `and more: only the first ${ISSUES_MAX} violations are listed`,
})

function violationsOfIssue(issue: Issue, place: Path, root: unknown): Violation[] {
  const loc = [...place, ...(issue.path as Path)]
  const value = valueAt(root, issue.path)
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys
        .slice(0, ISSUES_MAX + 1)
        .map(key => violationOf(FAULTS.extra, [...loc, key], valueAt(value, [key])))
    case 'invalid_union':
      return value === undefined ? [missing(loc, root, issue.path)] : unionViolations(issue, loc, value)
    case 'invalid_key':
    case 'invalid_element':
      return issue.issues.flatMap(inner => violationsOfIssue(inner, loc, value))
    case 'invalid_type':
      return [value === undefined ? missing(loc, root, issue.path) : typeViolation(issue.expected, loc, value)]
    default:
      return [value === undefined ? missing(loc, root, issue.path) : violationOf(nameOf(issue), loc, value)]
  }
}

/** If no option of a union matches, the closest one is reported: the one whose first error is deepest. */
function unionViolations(issue: Extract<Issue, { code: 'invalid_union' }>, loc: Path, value: unknown): Violation[] {
  const options = issue.errors.map(errors => ({ errors, depth: Math.max(0, ...errors.map(one => one.path.length)) }))
  const best = options.toSorted((a, b) => b.depth - a.depth)[0]
  // Only one member was looked at, which says what the option is.
  if ('options' in issue && issue.options) return [violationOf(notOneOf(issue.options), loc, value)]
  if (!best || best.errors.length === 0) return [violationOf(['value_error', issue.message], loc, value)]
  return best.errors.flatMap(inner => violationsOfIssue(inner, loc, value))
}

function typeViolation(expected: string, loc: Path, value: unknown): Violation {
  return violationOf(TYPES[expected] ?? ['value_error', `Input should be a valid ${expected}`], loc, value)
}

const missing = (loc: Path, root: unknown, path: readonly PropertyKey[]): Violation =>
  missingFrom(path.length === 0 ? undefined : valueAt(root, path.slice(0, -1)), loc)

const nameOf = (issue: Issue): Fault =>
  issue.code === 'custom'
    ? [String(issue.params?.type ?? 'value_error'), issue.message]
    : [faultOf(issue)?.[0] ?? 'value_error', issue.message]

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, step) => (value as Record<PropertyKey, unknown> | undefined)?.[step], root)
}
