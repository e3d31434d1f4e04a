import type { Column } from '../column.ts'
import { COLUMNS } from '../columns.ts'
import { anyOf, identifier, type Sql, sql } from '../sql.ts'

/**
 * An attribute that has a typed column, in addition to or instead of its place in the JSON text of the attributes. For
 * most metrics zero in the column means absent. A part of cumulative tokens or costs is zero if another number of them
 * is there; the span's own amounts (`alsoInJson`) may be an explicit zero, which only the JSON text shows.
 */
export type AttributeColumn =
  | { readonly key: string; readonly type: 'text'; readonly column: Sql; readonly words?: Words }
  | {
      readonly key: string
      readonly type: 'number'
      readonly column: Sql
      /** Whether the column has a value. */
      readonly isSet: Sql
      /** Of the column's decimal type. */
      readonly precision: number
      readonly scale: number
      readonly alsoInJson: boolean
    }

/** What an enum says as a text. */
export interface Words {
  /** In the order of the enum's numbers, from 0. */
  readonly values: readonly string[]
  readonly number: Sql
  /** Whether the attributes contain it. */
  readonly isSet: Sql
}

const DECIMAL = /^Decimal\((\d+), (\d+)\)$/

const ROWS: readonly AttributeColumn[] = (COLUMNS as readonly Column[]).flatMap(({ name, type, values, attribute }) => {
  if (!attribute) return []
  const { key, beside = [], alsoInJson = false, ifSet } = attribute
  const column = identifier(name)
  const [, precision, scale] = DECIMAL.exec(type) ?? []
  if (precision) {
    const isSet = anyOf([name, ...beside].map(one => sql`${identifier(one)} != 0`))
    return { key, type: 'number', column, isSet, precision: Number(precision), scale: Number(scale), alsoInJson }
  }
  if (!values) return { key, type: 'text', column }
  const isSet = ifSet ? identifier(ifSet) : sql`true`
  const word = sql`toString(${column})`
  const words = { values, number: sql`toUInt8(${column})`, isSet }
  return { key, type: 'text', column: ifSet ? sql`if(${isSet}, ${word}, '')` : word, words }
})

/** By dotted key. */
export const ATTRIBUTE_COLUMNS: ReadonlyMap<string, AttributeColumn> = new Map(ROWS.map(row => [row.key, row]))

/** The columns that are members of this object and absent from its JSON text. */
export const derivedMembers = (key: string): readonly AttributeColumn[] =>
  ROWS.filter(row => row.type === 'number' && !row.alsoInJson && parentOf(row.key) === key)

const parentOf = (key: string): string => key.slice(0, key.lastIndexOf('.'))
