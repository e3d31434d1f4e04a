import { type Micros, Problem, type Uuid } from '@spanhouse/model'

/**
 * A fragment of ClickHouse SQL: literal text and typed parameters. Only the tag {@link sql} creates one, and its holes
 * accept only fragments and parameters: external text can become a bound value, never SQL. Identifiers are part of the
 * literal text, or come from the table of columns ({@link identifier}).
 */
export type Sql = Fragment

/** A bound value, created by {@link text}, {@link texts}, {@link int}, ... */
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
  readonly #cost: number

  constructor(type: ParameterType, value: ParameterValue, cost = 1) {
    this.#type = type
    this.#value = value
    this.#cost = cost
  }

  /** See {@link costOf}. */
  get cost(): number {
    return this.#cost
  }

  get type(): ParameterType {
    return this.#type
  }

  get value(): ParameterValue {
    return this.#value
  }
}

/** A call of an aggregate function: see {@link aggregate}. */
interface Call {
  readonly name: Sql
  /** In parentheses, or empty. */
  readonly parameters: Sql
  readonly args: Sql
}

type Piece = string | Bound | Call

class Fragment {
  readonly #pieces: readonly Piece[]

  constructor(pieces: readonly Piece[]) {
    this.#pieces = pieces
  }

  get pieces(): readonly Piece[] {
    return this.#pieces
  }

  get parts(): readonly (string | Bound)[] {
    return this.mapAggregates(({ name, parameters, args }) => sql`${name}${parameters}(${args})`).#pieces as (
      | string
      | Bound
    )[]
  }

  /** The same with something else in the place of each aggregate. */
  mapAggregates(replace: (call: Call) => Sql): Sql {
    if (!this.#pieces.some(isCall)) return this
    return new Fragment(this.#pieces.flatMap(piece => (isCall(piece) ? replace(piece).#pieces : piece)))
  }
}

const isCall = (piece: Piece): piece is Call => typeof piece === 'object' && 'args' in piece

/** The only way to create SQL. Throws TypeError if a hole contains anything but a fragment or a parameter. */
export function sql(strings: TemplateStringsArray, ...holes: readonly (Sql | Parameter)[]): Sql {
  const parts: Piece[] = []
  strings.forEach((literal, index) => {
    parts.push(literal)
    if (index < holes.length) appendHole(parts, holes[index])
  })
  return new Fragment(parts)
}

function appendHole(parts: Piece[], hole: unknown): void {
  if (hole instanceof Fragment) for (const piece of hole.pieces) parts.push(piece)
  else if (hole instanceof Bound) parts.push(hole)
  else throw new TypeError('only SQL fragments and parameters are allowed in SQL')
}

/**
 * A call of an aggregate function, of which a shard of a cluster can compute a state: see `Aggregation`. `parameters`
 * are those in front of the arguments, in parentheses.
 */
export const aggregate = (name: Sql, args: Sql, parameters = sql``): Sql => new Fragment([{ name, parameters, args }])

const IDENTIFIER = /^[a-z][a-z_]*\d*$/

/**
 * The name of a column. Throws TypeError for anything but lower-case letters and underscores, and digits at the end.
 */
export function identifier(name: string): Sql {
  if (!IDENTIFIER.test(name)) throw new TypeError(`not a column name: ${name}`)
  return new Fragment([name])
}

/** The fragments with a separator between them; an empty fragment if there are none. */
export function join(fragments: readonly Sql[], separator: Sql = sql`, `): Sql {
  const parts: Piece[] = []
  fragments.forEach((fragment, index) => {
    if (index > 0) appendHole(parts, separator)
    appendHole(parts, fragment)
  })
  return new Fragment(parts)
}

/** True if all conditions are; true if there are none. */
export const allOf = (conditions: readonly Sql[]): Sql => combine(conditions, sql` AND `, sql`true`)

/** True if one condition is; false if there are none. */
export const anyOf = (conditions: readonly Sql[]): Sql => combine(conditions, sql` OR `, sql`false`)

function combine(conditions: readonly Sql[], separator: Sql, none: Sql): Sql {
  const [first] = conditions
  if (first === undefined) return none
  return conditions.length === 1 ? first : sql`(${join(conditions, separator)})`
}

/** The number of ANDs in a fragment. */
export const conjunctionsIn = ({ parts }: Sql): number =>
  parts.reduce((sum, part) => sum + (typeof part === 'string' ? part.split(' AND ').length - 1 : 0), 0)

/** Bytes of a text, and of a pattern that is compiled, that cost as much as one expression. */
const TEXT_BYTES = 512
const PATTERN_BYTES = 8

export const text = (value: string): Parameter => new Bound('String', value, 1 + Math.floor(value.length / TEXT_BYTES))
/** A LIKE pattern. */
export const pattern = (value: string): Parameter =>
  new Bound('String', value, 1 + Math.floor(value.length / PATTERN_BYTES))
export const int = (value: number): Parameter => new Bound('Int64', value)
export const ints = (values: readonly number[]): Parameter => new Bound('Array(Int64)', values)
export const uint32s = (values: readonly number[]): Parameter => new Bound('Array(UInt32)', values)
/** An integer of up to 38 digits. */
export const bigInt = (value: bigint): Parameter => new Bound('Int128', value.toString())
/** A count: not negative. */
export const count = (value: number): Parameter => new Bound('UInt64', value)
export const unsigned = (value: bigint): Parameter => new Bound('UInt64', value.toString())
/** Passed as text, in which every number of 64 bits has its shortest form. */
export const float = (value: number): Parameter => new Bound('Float64', String(value))
export const dateTime = (value: Micros): Sql => sql`fromUnixTimestamp64Micro(${int(value)}, 'UTC')`
export const uuid = (value: Uuid): Parameter => new Bound('UUID', value)
/** A decimal number as text, with an optional exponent. It must fit: otherwise the engine rejects the statement. */
export const decimal = (value: string, precision: number, scale: number): Parameter =>
  new Bound(`Decimal(${precision}, ${scale})`, value)

/**
 * ClickHouse takes parameters over HTTP as form fields, which have at most 128 KiB by default
 * (`http_max_field_value_size`). Longer lists are split into several parameters of one array.
 */
const FIELD_BYTES_MAX = 100_000

/** An array of any number of texts. */
export const texts = (values: readonly string[]): Sql =>
  arrayOf(
    values,
    value => fieldBytes(value),
    chunk => new Bound('Array(String)', chunk),
  )

/** An array of any number of arrays of texts. */
export const textLists = (values: readonly (readonly string[])[]): Sql =>
  arrayOf(
    values,
    list => list.reduce((sum, value) => sum + fieldBytes(value), 4),
    chunk => new Bound('Array(Array(String))', chunk),
  )

/** The maximum size of a text in a parameter: quotes, a comma, and every character escaped. */
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

/** SQL with placeholders, and their values, as `query` and `query_params` of the ClickHouse client. */
export interface PrintedSql {
  text: string
  params: Record<string, unknown>
}

/**
 * Names the parameters `p1`, `p2`, ... in order of appearance; equal scalars share a name. Throws a Problem
 * `query_limit` if the statement would cost the engine too much before it reads a row: see {@link COST_MAX} and
 * {@link VALUE_BYTES_MAX}.
 */
export function printSql(fragment: Sql): PrintedSql {
  refuseCostly(fragment)
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

/**
 * Expressions of one statement. The engine analyses and plans it on one core before it counts the time, 20 to 50 µs for
 * each.
 */
export const COST_MAX = 8_000
/** Of one that reads a page, in which the filter stands up to four times: about 100 ms. */
export const PAGE_COST_MAX = 4_000
/** Bytes of all values in one statement, each time they stand in it; a list of 100,000 UUIDs is 4 MB three times. */
const VALUE_BYTES_MAX = 24 * 1024 * 1024

/** The statement. Throws a Problem `query_limit` if it costs more than `max` expressions. */
export function withinCost(fragment: Sql, max: number): Sql {
  const cost = costOf(fragment)
  if (cost <= max) return fragment
  throw new Problem('query_limit', `The query compiles to ${cost} expressions; at most ${max} are allowed.`)
}

function refuseCostly(fragment: Sql): void {
  withinCost(fragment, COST_MAX)
  const bytes = fragment.parts.reduce((sum, part) => sum + (typeof part === 'string' ? 0 : bytesOf(part.value)), 0)
  if (bytes > VALUE_BYTES_MAX)
    throw new Problem(
      'query_limit',
      `The values of the query have ${bytes} bytes; at most ${VALUE_BYTES_MAX} are allowed.`,
    )
}

/** A sub-query is planned separately. */
const SUBQUERY_COST = 15

/** The cost of a statement in expressions: every call, list, parameter, and member of an AND or OR is one. */
export const costOf = ({ parts }: Sql): number =>
  parts.reduce((sum, part) => sum + (typeof part === 'string' ? costOfText(part) : part.cost), 0)

const costOfText = (literal: string): number =>
  (literal.match(/[([]| AND | OR /g)?.length ?? 0) + SUBQUERY_COST * (literal.split('SELECT ').length - 1)

const bytesOf = (value: ParameterValue | readonly string[]): number => {
  if (typeof value === 'number') return 8
  if (typeof value === 'string') return value.length
  let bytes = 0
  for (const one of value) bytes += bytesOf(one)
  return bytes
}
