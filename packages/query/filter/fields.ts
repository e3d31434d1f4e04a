import { parseSpanId, parseTraceId, parseUuid } from '@spanhouse/model'
import type { Column, ColumnFilter, ColumnKind } from '../column.ts'
import { SHOWN_COLUMNS } from '../columns.ts'
import { identifier, join, type Sql, sql } from '../sql.ts'

/** Operators of a condition, by group. */
const OPERATOR_GROUPS = {
  comparison: ['is', 'is_not'],
  numeric: ['eq', 'neq', 'gt', 'lt', 'gte', 'lte', 'btwn'],
  string: ['startswith', 'endswith', 'contains', 'matches', 'like'],
  list: ['in', 'not_in'],
  dict: ['has', 'has_not'],
  existence: ['exists', 'not_exists'],
} as const
export type OperatorGroup = keyof typeof OPERATOR_GROUPS
export type Operator = (typeof OPERATOR_GROUPS)[OperatorGroup][number]

const operatorsOf = (...groups: OperatorGroup[]): ReadonlySet<string> =>
  new Set(groups.flatMap((group): readonly string[] => OPERATOR_GROUPS[group]))

export const OPERATORS: readonly Operator[] = Object.values(OPERATOR_GROUPS).flat()

/** The operators that each kind of field allows. */
export const FIELD_KINDS = {
  trace_id: operatorsOf('comparison', 'list'),
  span_id: operatorsOf('comparison', 'list'),
  enum: operatorsOf('comparison', 'list'),
  text: operatorsOf('comparison', 'numeric', 'string', 'list', 'existence'),
  time: operatorsOf('comparison', 'numeric', 'string', 'list'),
  uuid: operatorsOf('comparison', 'list', 'existence'),
  attributes: operatorsOf('comparison', 'numeric', 'string', 'list', 'dict', 'existence'),
  list: operatorsOf('list', 'dict', 'existence'),
  content: new Set(['contains']) as ReadonlySet<string>,
} as const

/** A field that is a column. `present`: the condition for having a value; omitted if it always has one. */
export interface ColumnField {
  readonly name: string
  readonly kind: ColumnKind
  readonly column: Sql
  readonly present?: Sql
  /** For an enum. */
  readonly values?: readonly string[]
}

/** A field that is a column of JSON text: a list of objects, or empty. */
export interface ListField {
  readonly name: string
  readonly kind: 'list'
  readonly column: Sql
  /** The members that `in` compares, in the order of comparison. */
  readonly members: readonly ListMember[]
  /** A pattern without members matches every item; otherwise it matches none. */
  readonly emptyMatchesAny?: true
  /** The member that a plain string in the list stands for, and that `has` can name. */
  readonly textMember?: string
}

export interface ListMember {
  readonly name: string
  /** The path of the value in an item, both in the request and in the column. */
  readonly path: readonly string[]
  /** Normalises the value; null if malformed. */
  readonly parse: (value: string) => string | null
  /** Normalises a stored value; omitted if values are stored in normal form. */
  readonly stored?: (value: Sql) => Sql
  /** Ignored if this other member is given. */
  readonly unless?: string
}

export type Field =
  | ColumnField
  | ListField
  | { readonly name: string; readonly kind: 'attributes' }
  | { readonly name: string; readonly kind: 'content' }

const IS_ROOT = sql`is_root = true`

const EPOCH = sql`fromUnixTimestamp64Micro(0, 'UTC')`
const NOBODY = sql`'00000000-0000-0000-0000-000000000000'`
const anyText = (value: string): string => value

/** The condition for a column to have a value, by its content without one. */
const PRESENT: Record<NonNullable<ColumnFilter['absent']>, (column: Sql) => Sql> = {
  empty: column => sql`${column} != ''`,
  epoch: column => sql`${column} != ${EPOCH}`,
  nobody: column => sql`${column} != ${NOBODY}`,
  root: () => sql`NOT (${IS_ROOT})`,
}

/** Of the columns that are read with a span: a filter in memory knows no other values. */
const columnFields = (SHOWN_COLUMNS as readonly Column[]).flatMap(({ name, filter }): ColumnField[] => {
  if (!filter) return []
  const { kind, values, absent, rootsOnly } = filter
  const column = identifier(name)
  const conditions = [...(absent ? [PRESENT[absent](column)] : []), ...(rootsOnly ? [IS_ROOT] : [])]
  return [
    {
      name,
      kind,
      column,
      ...(conditions.length > 0 && { present: join(conditions, sql` AND `) }),
      ...(values && { values }),
    },
  ]
})

const ROLE = /^(application|evaluator)(_variant|_revision)?$/
const FIELD_ROWS: readonly Field[] = [
  ...columnFields,
  { name: 'end_time', kind: 'time', column: sql`end_time` },
  // Deletion is permanent: no stored span has a time or an author of its deletion.
  { name: 'deleted_at', kind: 'time', column: sql`${EPOCH}`, present: sql`false` },
  { name: 'deleted_by_id', kind: 'uuid', column: sql`toUUID(${NOBODY})`, present: sql`false` },
  { name: 'attributes', kind: 'attributes' },
  { name: 'content', kind: 'content' },
  {
    name: 'references',
    kind: 'list',
    column: sql`references`,
    members: [
      { name: 'id', path: ['id'], parse: parseUuid },
      { name: 'slug', path: ['slug'], parse: anyText },
      { name: 'version', path: ['version'], parse: anyText },
      {
        name: 'role',
        path: ['attributes', 'key'],
        // An artifact is stored under workflow, application or evaluator: they are one role at each level.
        parse: key => key.replace(ROLE, 'workflow$2'),
        stored: key => sql`replaceRegexpOne(${key}, '^(application|evaluator)(_variant|_revision)?$', 'workflow\\\\2')`,
        unless: 'id',
      },
    ],
  },
  {
    name: 'links',
    kind: 'list',
    column: sql`links`,
    emptyMatchesAny: true,
    members: [
      { name: 'trace_id', path: ['trace_id'], parse: parseTraceId },
      { name: 'span_id', path: ['span_id'], parse: parseSpanId },
    ],
  },
  {
    name: 'hashes',
    kind: 'list',
    column: sql`hashes`,
    textMember: 'id',
    members: [
      { name: 'id', path: ['id'], parse: parseUuid },
      { name: 'key', path: ['attributes', 'key'], parse: anyText },
    ],
  },
  {
    name: 'events',
    kind: 'list',
    column: sql`events`,
    members: [{ name: 'name', path: ['name'], parse: anyText }],
  },
]

/** Every field that a condition can name, by name. To add a field, add an entry. */
export const FIELDS: ReadonlyMap<string, Field> = new Map(FIELD_ROWS.map(field => [field.name, field]))
