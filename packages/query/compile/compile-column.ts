import type { ColumnKind } from '../column.ts'
import type { ColumnField } from '../filter/fields.ts'
import type { ColumnTest, ColumnValue, PresenceTest, Relation } from '../filter/filter.ts'
import { allOf, dateTime, ints, type Sql, sql, text, texts, uuid } from '../sql.ts'
import { compileText, isTextTest, RELATIONS } from './compile-text.ts'

/**
 * How values of a kind are written. Sets are sub-queries: the engine hashes these (100,000 values take 0.1 s, against
 * 30 s as an array literal) and uses them on skip indexes. Ids are FixedString on both sides: compared with a String of
 * the same bytes, ids that end in zero bytes are missed.
 */
interface KindSql {
  readonly value: (value: ColumnValue) => Sql
  readonly set: (values: readonly ColumnValue[]) => Sql
  /** The text form, if text operators are allowed. */
  readonly text?: (column: Sql) => Sql
}

const TEXT: KindSql = {
  value: value => sql`${text(String(value))}`,
  set: values => sql`(SELECT arrayJoin(${texts(values.map(String))}))`,
  text: column => column,
}

const KINDS_SQL: Record<ColumnKind, KindSql> = {
  trace_id: {
    value: value => sql`toFixedString(unhex(${text(String(value))}), 16)`,
    set: values => sql`(SELECT toFixedString(unhex(arrayJoin(${texts(values.map(String))})), 16))`,
  },
  span_id: {
    value: value => sql`toFixedString(unhex(${text(String(value))}), 8)`,
    set: values => sql`(SELECT toFixedString(unhex(arrayJoin(${texts(values.map(String))})), 8))`,
  },
  enum: TEXT,
  text: TEXT,
  time: {
    value: value => dateTime(Number(value)),
    set: values => sql`(SELECT fromUnixTimestamp64Micro(arrayJoin(${ints(values.map(Number))}), 'UTC'))`,
    // 2026-02-03 09:15:00.25+00: without trailing zeros of the fraction.
    text: column => sql`concat(replaceRegexpOne(toString(${column}), '[.]?0+$', ''), '+00')`,
  },
  uuid: {
    value: value => sql`${uuid(String(value))}`,
    set: values => sql`(SELECT toUUID(arrayJoin(${texts(values.map(String))})))`,
  },
}

/** A test of a plain column. A row without a value satisfies only `not_exists`. */
export function compileColumn(field: ColumnField, test: ColumnTest): Sql {
  const present = field.present === undefined ? sql`true` : sql`(${field.present})`
  if (isPresenceTest(test)) return test.test === 'exists' ? present : sql`NOT ${present}`
  const satisfied = compileTest(field, test)
  return field.present === undefined ? satisfied : allOf([present, satisfied])
}

const isPresenceTest = (test: ColumnTest): test is PresenceTest => test.test === 'exists' || test.test === 'not_exists'

function compileTest({ column, kind }: ColumnField, test: Exclude<ColumnTest, PresenceTest>): Sql {
  const { value, set, text: textOf } = KINDS_SQL[kind]
  const compare = (relation: Relation, operand: ColumnValue): Sql =>
    sql`${column} ${RELATIONS[relation]} ${value(operand)}`
  if (isTextTest(test)) {
    if (textOf === undefined) throw new Error(`fields of kind ${kind} have no text form`)
    return compileText(textOf(column), test)
  }
  if ('low' in test) return allOf([compare('gte', test.low), compare('lte', test.high)])
  if ('value' in test) return compare(test.test, test.value)
  const isIn = sql`${column} IN ${set(test.values)}`
  return test.test === 'in' ? isIn : sql`NOT (${isIn})`
}
