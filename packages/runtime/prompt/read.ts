import { isJsonObject, type Json, type JsonObject } from '@spanhouse/model'
import { misfit } from '../run-error.ts'

/**
 * Reads typed members of a configuration. A member that is absent or null is undefined; one of another type, or out of
 * range, is a 400 `invalid-parameter` that names its path.
 */
export class ConfigReader {
  readonly #object: JsonObject
  readonly #path: string

  constructor(object: JsonObject, path: string) {
    this.#object = object
    this.#path = path
  }

  pathOf(name: string): string {
    return this.#path === '' ? name : `${this.#path}.${name}`
  }

  /** Undefined when absent or null. */
  value(name: string): Json | undefined {
    return this.#object[name] ?? undefined
  }

  text(name: string): string | undefined {
    return this.#typed(name, 'a string', (value): value is string => typeof value === 'string')
  }

  boolean(name: string): boolean | undefined {
    return this.#typed(name, 'true or false', (value): value is boolean => typeof value === 'boolean')
  }

  object(name: string): JsonObject | undefined {
    return this.#typed(name, 'an object', isJsonObject)
  }

  /** A list of objects. */
  objects(name: string): JsonObject[] | undefined {
    const list = this.#typed(name, 'a list of objects', (value): value is Json[] => Array.isArray(value))
    list?.forEach((item, place) => {
      if (!isJsonObject(item)) throw misfit('parameter', `${this.pathOf(name)}[${place}]`, 'an object', item)
    })
    return list as JsonObject[] | undefined
  }

  number(name: string, range: { from?: number; to?: number; isInteger?: boolean } = {}): number | undefined {
    const { from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY, isInteger = false } = range
    return this.#typed(name, describe(range), (value): value is number => {
      if (typeof value !== 'number' || value < from || value > to) return false
      return !isInteger || Number.isInteger(value)
    })
  }

  oneOf<Choice extends string>(name: string, choices: readonly Choice[]): Choice | undefined {
    const expected = `one of ${choices.map(choice => `'${choice}'`).join(', ')}`
    return this.#typed(name, expected, (value): value is Choice => choices.some(choice => choice === value))
  }

  #typed<Value extends Json>(name: string, expected: string, is: (value: Json) => value is Value): Value | undefined {
    const value = this.value(name)
    if (value === undefined) return undefined
    if (!is(value)) throw misfit('parameter', this.pathOf(name), expected, value)
    return value
  }
}

function describe({ from, to, isInteger = false }: { from?: number; to?: number; isInteger?: boolean }): string {
  const kind = isInteger ? 'an integer' : 'a number'
  if (from !== undefined && to !== undefined) return `${kind} from ${from} to ${to}`
  return from === undefined ? kind : `${kind} of at least ${from}`
}
