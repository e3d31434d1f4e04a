import type { Uuid } from '@spanhouse/model'

/**
 * A fragment of ClickHouse SQL: literal text and typed parameters. Only the tag {@link sql} makes one, and its holes
 * take only fragments and parameters: text that came from outside can become a bound value, never SQL. Identifiers
 * are written in the literal text, or come from the table of columns ({@link identifier}).
 */
export type Sql = Fragment

/** A bound value; made by {@link text}, {@link texts}, {@link int}, ... */
export type Parameter = Bound

type ParameterType =
  | 'String'
  | 'Array(String)'
  | 'Array(Array(String))'
  | 'Int64'
  | 'Array(Int64)'
  | 'Int128'
  | 'UInt64'
  | 'Array(UInt32)'
  | 'Float64'
  | 'UUID'
  | `Decimal(${number}, ${number})`
type ParameterValue = string | number | readonly string[] | readonly number[] | readonly (readonly string[])[]

class Bound {
  readonly #type: ParameterType
  readonly #value: ParameterValue

  constructor(type: ParameterType, value: ParameterValue) {
    this.#type = type
    this.#value = value
  }

  get type(): ParameterType {
    return this.#type
  }

  get value(): ParameterValue {
    return this.#value
  }
}

class Fragment {
  readonly #parts: readonly (string | Bound)[]

  constructor(parts: readonly (string | Bound)[]) {
    this.#parts = parts
  }

  get parts(): readonly (string | Bound)[] {
    return this.#parts
  }
}

/** The only way to make SQL. Throws TypeError when a hole holds anything but a fragment or a parameter. */
export function sql(strings: TemplateStringsArray, ...holes: readonly (Sql | Parameter)[]): Sql {
  const parts: (string | Bound)[] = []
  strings.forEach((literal, index) => {
    parts.push(literal)
    if (index < holes.length) appendHole(parts, holes[index])
  })
  return new Fragment(parts)
}

function appendHole(parts: (string | Bound)[], hole: unknown): void {
  if (hole instanceof Fragment) for (const part of hole.parts) parts.push(part)
  else if (hole instanceof Bound) parts.push(hole)
  else throw new TypeError('only SQL fragments and parameters can stand in SQL')
}

const IDENTIFIER = /^[a-z][a-z_]*$/

/** The name of a stored column. Throws TypeError for anything that is not lower-case letters and underscores. */
export function identifier(name: string): Sql {
  if (!IDENTIFIER.test(name)) throw new TypeError(`no name of a column: ${name}`)
  return new Fragment([name])
}

/** The fragments one after another; nothing at all when there are none. */
export function join(fragments: readonly Sql[], separator: Sql = sql`, `): Sql {
  const parts: (string | Bound)[] = []
  fragments.forEach((fragment, index) => {
    if (index > 0) appendHole(parts, separator)
    appendHole(parts, fragment)
  })
  return new Fragment(parts)
}

/** True when all are; true when there are none. */
export const allOf = (conditions: readonly Sql[]): Sql => combine(conditions, sql` AND `, sql`true`)

/** True when one is; false when there are none. */
export const anyOf = (conditions: readonly Sql[]): Sql => combine(conditions, sql` OR `, sql`false`)

function combine(conditions: readonly Sql[], separator: Sql, none: Sql): Sql {
  const [first] = conditions
  if (first === undefined) return none
  return conditions.length === 1 ? first : sql`(${join(conditions, separator)})`
}

export const text = (value: string): Parameter => new Bound('String', value)
export const int = (value: number): Parameter => new Bound('Int64', value)
export const ints = (values: readonly number[]): Parameter => new Bound('Array(Int64)', values)
export const uint32s = (values: readonly number[]): Parameter => new Bound('Array(UInt32)', values)
/** An integer of up to 38 digits. */
export const bigInt = (value: bigint): Parameter => new Bound('Int128', value.toString())
/** A count: not negative. */
export const count = (value: number): Parameter => new Bound('UInt64', value)
export const unsigned = (value: bigint): Parameter => new Bound('UInt64', value.toString())
/** Passed as text, because the embedded engine's binder refuses numbers that are not safe integers. */
export const float = (value: number): Parameter => new Bound('Float64', String(value))
export const uuid = (value: Uuid): Parameter => new Bound('UUID', value)
/** A decimal number as text, exponent allowed. It must fit: the engine refuses the statement otherwise. */
export const decimal = (value: string, precision: number, scale: number): Parameter =>
  new Bound(`Decimal(${precision}, ${scale})`, value)

/**
 * ClickHouse takes parameters over HTTP as form fields, and a field may have 128 KiB by default
 * (`http_max_field_value_size`). Longer lists are cut into several parameters of one array.
 */
const FIELD_BYTES_MAX = 100_000

/** An array of texts; any number of them. */
export const texts = (values: readonly string[]): Sql =>
  arrayOf(
    values,
    value => fieldBytes(value),
    chunk => new Bound('Array(String)', chunk),
  )

/** An array of arrays of texts; any number of them. */
export const textLists = (values: readonly (readonly string[])[]): Sql =>
  arrayOf(
    values,
    list => list.reduce((sum, value) => sum + fieldBytes(value), 4),
    chunk => new Bound('Array(Array(String))', chunk),
  )

/** The most bytes a text can take in a parameter: quotes, a comma, and every character escaped. */
const fieldBytes = (value: string): number => 2 * Buffer.byteLength(value) + 3

function arrayOf<T>(values: readonly T[], bytesOf: (value: T) => number, bind: (chunk: readonly T[]) => Bound): Sql {
  let chunk: T[] = []
  const chunks = [chunk]
  let bytes = 0
  for (const value of values) {
    bytes += bytesOf(value)
    if (bytes > FIELD_BYTES_MAX && chunk.length > 0) {
      chunk = []
      chunks.push(chunk)
      bytes = bytesOf(value)
    }
    chunk.push(value)
  }
  return chunks.length === 1 ? sql`${bind(chunk)}` : sql`arrayConcat(${join(chunks.map(one => sql`${bind(one)}`))})`
}

/** SQL with placeholders, and their values, as `query` and `query_params` of the ClickHouse client take them. */
export interface PrintedSql {
  text: string
  params: Record<string, unknown>
}

/** Names the parameters `p1`, `p2`, ... in order of appearance; equal scalars share a name. */
export function printSql(fragment: Sql): PrintedSql {
  const params: Record<string, unknown> = {}
  const names = new Map<unknown, string>()
  const placeholder = (bound: Bound): string => {
    const identity = Array.isArray(bound.value) ? bound.value : `${bound.type} ${bound.value}`
    const name = names.get(identity) ?? `p${names.size + 1}`
    names.set(identity, name)
    params[name] = bound.value
    return `{${name}:${bound.type}}`
  }
  const printed = fragment.parts.map(part => (typeof part === 'string' ? part : placeholder(part)))
  return { text: printed.join(''), params }
}
