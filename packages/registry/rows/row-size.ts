import { type RawBuilder, sql } from '@spanhouse/postgres'

/** The columns with labels, of any record. */
export const LABELS = ['name', 'description', 'flags', 'tags', 'meta'] as const

/**
 * The size of a row of a table: of its labels as text, since Postgres may store them in a hundredth of that. Other
 * columns are short, except data: see {@link dataSizeOf}.
 */
export const sizeOf = (table: string, labels: readonly string[] = LABELS): RawBuilder<unknown> =>
  sql`octet_length(row(${sql.join(labels.map(name => sql.ref(`${table}.${name}`)))})::text)`

/** The size of a revision's data, which is stored as it is. The data itself is not read for this. */
export const dataSizeOf = (table: string): RawBuilder<unknown> =>
  sql`coalesce(pg_column_size(${sql.ref(`${table}.data`)}), 0)`
