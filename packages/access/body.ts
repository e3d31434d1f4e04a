import { isJsonObject, type Json, type JsonObject, Problem, type Violation } from '@spanhouse/model'

type Location = (string | number)[]
interface Place {
  loc: Location
  violations: Violation[]
}

/** What a value of a request body must be. `read` notes what is wrong and then returns nothing of use. */
export interface Rule<T> {
  readonly read: (value: unknown, place: Place) => T
  readonly isOptional?: true
}

/** The type of what a rule reads. */
export type Of<R> = R extends Rule<infer T> ? T : never
type Fields = Record<string, Rule<unknown>>
type OptionalRule<T> = Rule<T | undefined> & { readonly isOptional: true }
type OptionalNames<F> = { [K in keyof F]: F[K] extends OptionalRule<unknown> ? K : never }[keyof F]
type RecordOf<F> = { [K in Exclude<keyof F, OptionalNames<F>>]: Of<F[K]> } & { [K in OptionalNames<F>]?: Of<F[K]> }

/**
 * The body in the shape the rule describes, with members it does not name left out. Throws a Problem `unprocessable`
 * that lists everything that is wrong. Violations repeat the offending value, but never a password.
 */
export function parseBody<T>(rule: Rule<T>, body: unknown): T {
  const violations: Violation[] = []
  if (body === undefined) violations.push(violation('missing', 'Field required', ['body'], null))
  else {
    const value = rule.read(body, { loc: ['body'], violations })
    if (violations.length === 0) return value
  }
  throw new Problem('unprocessable', violations)
}

const scalar = <T>(type: string, article: string, test: (value: unknown) => value is T): Rule<T> => ({
  read: (value, place) => (test(value) ? value : refuse(place, type, `Input should be a valid ${article}`, value)),
})

export const text = scalar('string_type', 'string', value => typeof value === 'string')
export const flag = scalar('bool_type', 'boolean', value => typeof value === 'boolean')
export const object: Rule<JsonObject> = scalar('dict_type', 'dictionary', isJsonObject)

/** Text that also passes a test; `message` says what it should be. */
export const textThat = (test: (value: string) => boolean, message: string): Rule<string> => ({
  read: (value, place) => {
    const read = text.read(value, place)
    return typeof read !== 'string' || test(read) ? read : refuse(place, 'value_error', message, value)
  },
})

/** May be absent; null counts as absent. */
export const optional = <T>(rule: Rule<T>): OptionalRule<T> => ({
  isOptional: true,
  read: (value, place) => (value == null ? undefined : rule.read(value, place)),
})

/** A list of at most `sizeMax` items. */
export const listOf = <T>(rule: Rule<T>, sizeMax: number): Rule<T[]> => ({
  read: (value, place) => {
    if (!Array.isArray(value)) return refuse(place, 'list_type', 'Input should be a valid list', value)
    if (value.length > sizeMax) return refuse(place, 'too_long', `List should have at most ${sizeMax} items`, null)
    return value.map((item, index) => rule.read(item, at(place, index)))
  },
})

/** An object with keys of the caller's choosing, at most `sizeMax` of them. Keeps their order. */
export const mapOf = <T>(rule: Rule<T>, sizeMax: number): Rule<Map<string, T>> => ({
  read: (value, place) => {
    const entries = Object.entries(object.read(value, place) ?? {})
    if (entries.length > sizeMax) {
      return refuse(place, 'too_long', `Dictionary should have at most ${sizeMax} items`, null)
    }
    return new Map(entries.map(([key, item]) => [key, rule.read(item, at(place, key))]))
  },
})

/** An object with these members; others are ignored. `check` may refuse the whole: it returns what is wrong with it. */
export function record<F extends Fields>(
  fields: F,
  check: (value: RecordOf<F>) => string | null = () => null,
): Rule<RecordOf<F>> {
  return {
    read: (value, place) => {
      if (!isJsonObject(value)) return refuse(place, 'model_attributes_type', 'Input should be a valid object', value)
      const before = place.violations.length
      const entries = Object.entries(fields).map(([name, rule]) => [name, readField(value, name, rule, place)])
      const result = Object.fromEntries(entries) as RecordOf<F>
      const wrong = place.violations.length === before ? check(result) : null
      return wrong === null ? result : refuse(place, 'value_error', wrong, value)
    },
  }
}

function readField(parent: JsonObject, name: string, rule: Rule<unknown>, place: Place): unknown {
  const inside = at(place, name)
  if (parent[name] === undefined && !rule.isOptional) return refuse(inside, 'missing', 'Field required', parent)
  return rule.read(parent[name], inside)
}

const at = ({ loc, violations }: Place, step: string | number): Place => ({ loc: [...loc, step], violations })

/** Typed as whatever is wanted, because nobody reads the value of a body that was refused. */
function refuse(place: Place, type: string, msg: string, input: unknown): never {
  place.violations.push(violation(type, msg, place.loc, input))
  return undefined as never
}

function violation(type: string, msg: string, loc: Location, input: unknown): Violation {
  if (loc.at(-1) === 'password') return { type, loc, msg }
  return { type, loc, msg, input: withoutPasswords(input) }
}

const withoutPasswords = (input: unknown): Json =>
  input === undefined
    ? null
    : JSON.parse(JSON.stringify(input, (key, value) => (key === 'password' ? undefined : value)))
