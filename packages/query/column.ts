import { AMOUNTS, type Amounts, amountText, type Micros, type Uuid } from '@spanhouse/model'

/** Receives the values of a row, one after the other, in ClickHouse's RowBinary format. */
export interface RowSink {
  hex(digits: string): void
  bytes(characters: string): void
  int8(value: number): void
  int64(value: number): void
  bigInt64(value: bigint): void
  int128(value: bigint): void
  uuid(dashed: string): void
  uint32s(values: readonly number[]): void
  text(value: string): void
  /** A text whose characters are the bytes of its UTF-8 form. */
  latin1(value: string): void
}

/** Returns the values again, in the same order. */
export interface RowSource {
  hex(byteCount: number): string
  int8(): number
  int64(): bigint
  number64(): number
  int128(): bigint
  uuid(): string
  uint32s(): number[]
  text(): string
}

export type ColumnKind = 'trace_id' | 'span_id' | 'enum' | 'text' | 'time' | 'uuid'

/** How a column can be filtered. */
export interface ColumnFilter {
  readonly kind: ColumnKind
  /** For an enum: the order in which errors list the values. */
  readonly values?: readonly string[]
  /** The column's content when there is no value; omitted if there always is one. */
  readonly absent?: 'empty' | 'epoch' | 'nobody' | 'root'
  /** The column is filled on every span that has or shows the value; the field is defined on roots only. */
  readonly rootsOnly?: true
}

/**
 * The attribute that a column holds. A number of zero in the column means no value, unless one of the columns `beside`
 * it, for other numbers of the same object, is not zero. `alsoInJson`: an explicit zero is in the JSON text of the
 * attributes. `ifSet`: the column that tells whether the attributes contain it at all.
 */
export interface ColumnAttribute {
  readonly key: string
  readonly beside?: readonly string[]
  readonly alsoInJson?: boolean
  readonly ifSet?: string
}

/** What a column is used for, apart from being stored. */
export interface ColumnUse {
  readonly filter?: ColumnFilter
  readonly attribute?: ColumnAttribute
}

/**
 * A stored column. `Source` is what its value is computed from, `Value` what a reader gets.
 *
 * `type` and `codec` are those of the DDL, as `system.columns` prints them. `text` takes the next value as a text that
 * ClickHouse casts to the type (hex digits if `isHex`); it is used to update a stored row.
 */
export interface Column<Source = never, Name extends string = string, Value = unknown> extends ColumnUse {
  readonly name: Name
  readonly type: string
  readonly codec: string
  readonly isHex?: boolean
  /** The values of an enum, in the order of its numbers, from 0. */
  readonly values?: readonly string[]
  put(row: RowSink, source: Source): void
  read(row: RowSource): Value
  text(row: RowSource): string
}

type Get<Source, Value> = (source: Source) => Value

const ZSTD = 'CODEC(ZSTD(1))'

/** Marks a column that is read to build spans. */
export const shown = <C extends Column<never>>(column: C): C & { readonly shown: true } => ({ ...column, shown: true })

export const hex = <S, N extends string>(
  name: N,
  byteCount: number,
  get: Get<S, string>,
  use: ColumnUse = {},
): Column<S, N, string> => ({
  name,
  type: `FixedString(${byteCount})`,
  codec: ZSTD,
  isHex: true,
  ...use,
  put: (row, source) => row.hex(get(source)),
  read: row => row.hex(byteCount),
  text: row => row.hex(byteCount),
})

export const uuid = <S, N extends string>(name: N, get: Get<S, Uuid>, use: ColumnUse = {}): Column<S, N, Uuid> => ({
  name,
  type: 'UUID',
  codec: ZSTD,
  ...use,
  put: (row, source) => row.uuid(get(source)),
  read: row => row.uuid(),
  text: row => row.uuid(),
})

export const text = <S, N extends string>(
  name: N,
  get: Get<S, string>,
  { type = 'String', codec = ZSTD, ...use }: ColumnUse & { type?: string; codec?: string } = {},
): Column<S, N, string> => ({
  name,
  type,
  codec,
  ...use,
  put: (row, source) => row.text(get(source)),
  read: row => row.text(),
  text: row => row.text(),
})

/** A JSON text, of which `get` returns the bytes, one character for each. */
export const json = <S, N extends string>(
  name: N,
  get: Get<S, string>,
  use: { codec?: string } = {},
): Column<S, N, string> => ({ ...text(name, get, use), put: (row, source) => row.latin1(get(source)) })

export const time = <S, N extends string>(name: N, get: Get<S, Micros>, use: ColumnUse = {}): Column<S, N, Micros> => ({
  name,
  type: "DateTime64(6, 'UTC')",
  codec: 'CODEC(Delta(8), ZSTD(1))',
  ...use,
  put: (row, source) => row.int64(get(source)),
  read: row => row.number64(),
  text: row => secondsText(Number(row.int64())),
})

export const flag = <S, N extends string>(name: N, get: Get<S, boolean>): Column<S, N, boolean> => ({
  name,
  type: 'Bool',
  codec: '',
  put: (row, source) => row.int8(get(source) ? 1 : 0),
  read: row => row.int8() === 1,
  text: row => String(row.int8()),
})

export const oneOf = <S, N extends string, V extends string>(
  name: N,
  values: readonly V[],
  get: Get<S, V>,
  use: ColumnUse = {},
): Column<S, N, V> => ({
  name,
  type: `Enum8(${values.map((value, number) => `'${value}' = ${number}`).join(', ')})`,
  codec: '',
  values,
  ...use,
  put: (row, source) => row.int8(values.indexOf(get(source))),
  read: row => values[row.int8()] as V,
  text: row => values[row.int8()] as string,
})

type View = 'incremental' | 'cumulative'
type AmountRow = (typeof AMOUNTS)[number]
type NameOf<Row, V extends View> = Row extends AmountRow
  ? Row['key'] extends null
    ? `${Row['metric']}_${V}`
    : `${Row['metric']}_${V}_${Row['key'] & string}`
  : never
/** Names of the amount columns: `errors_cumulative`, `tokens_cumulative_total` and so on. */
export type AmountName<V extends View> = NameOf<AmountRow, V>

/** The names, in the order of {@link AMOUNTS}. */
export const amountColumns = <V extends View>(view: V): AmountName<V>[] =>
  AMOUNTS.map(({ metric, key }) => (key === null ? `${metric}_${view}` : `${metric}_${view}_${key}`) as AmountName<V>)

/** One column per amount; amounts are already integers of the column's scale. Readers get the nearest number. */
export const amounts = <S, V extends View>(view: V, get: Get<S, Amounts>): Column<S, AmountName<V>, number>[] =>
  AMOUNTS.map(({ metric, key, decimals }, index) => {
    const isMoney = metric === 'costs'
    const names = amountColumns(view)
    return {
      name: names[index] as AmountName<V>,
      type: `Decimal(${isMoney ? 38 : 18}, ${decimals})`,
      codec: ZSTD,
      attribute: {
        key: ['ag', 'metrics', metric, view, key].filter(part => part !== null).join('.'),
        alsoInJson: view === 'incremental',
        ...(view === 'cumulative' && PARTS.has(key) && { beside: besideOf(names, index) }),
      },
      put: (row, source) => {
        const amount = get(source)[index] as bigint
        if (isMoney) row.int128(amount)
        else row.bigInt64(amount)
      },
      read: row => (isMoney ? readMoney(row) : row.number64() / 10 ** decimals),
      text: row => amountText(isMoney ? row.int128() : row.int64(), index),
    }
  })

/** What a span and those below it used is shown with all its parts, of which some may be zero. */
const PARTS: ReadonlySet<string | null> = new Set(['prompt', 'completion'])

/** The columns of the other amounts of a metric. */
const besideOf = (names: readonly string[], index: number): string[] =>
  names.filter((_, other) => other !== index && AMOUNTS[other]?.metric === AMOUNTS[index]?.metric)

/** The nearest number to an amount with fifteen decimals. */
export function readMoney(row: RowSource): number {
  const amount = row.int128()
  if (amount === 0n) return 0
  const number = Number(amount)
  return Number.isSafeInteger(number) ? number / 1e15 : Number(`${amount}e-15`)
}

/** Decimal seconds, which ClickHouse casts to DateTime64. */
export const secondsText = (micros: Micros): string =>
  `${String(Math.floor(micros / 1e6)).padStart(10, '0')}.${String(micros % 1e6).padStart(6, '0')}`
