import type { Json } from '@spanhouse/model'
import { sql, toJsonb } from '@spanhouse/postgres'
import { list, optional, recordOf, reference, storedObject, uuid, z } from '@spanhouse/validation'
import { type Condition, column, contains, equals, hasText, isAmong, isPresent } from './conditions.ts'
import { int32, soughtTime, status } from './fields.ts'

/** A member of a filter: how it is parsed, and its condition on a row. */
interface Member<T = unknown> {
  schema: z.ZodType<T>
  where(value: T): Condition
}

const member = <T>(schema: z.ZodType<T>, where: (value: T) => Condition): Member => ({ schema, where }) as Member

const one = <T>(name: string, schema: z.ZodType<T>, type: string): Member =>
  member(schema, value => equals(name, value, type))
const some = <T>(name: string, schema: z.ZodType<T>, type: string): Member =>
  member(list(schema) as z.ZodType<T[]>, values => isAmong(name, values, type))

/** A column that is asked for by one value or by several, under the column's name and its plural. */
const oneOrSome = <T>(
  name: string,
  plural: string,
  [schema, type]: [z.ZodType<T>, string],
): Record<string, Member> => ({
  [name]: one(name, schema, type),
  [plural]: some(name, schema, type),
})

const UUID: [z.ZodType<string>, string] = [uuid, 'uuid']
const INTEGER: [z.ZodType<number>, string] = [int32, 'integer']
const TIME: [z.ZodType<string>, string] = [soughtTime, 'timestamptz']
const TEXT: [z.ZodType<string>, string] = [z.string(), 'text']

/** A list of values, or whether there is one at all. */
const someOrAny = (name: string, [schema, type]: [z.ZodType<string>, string]): Member =>
  member(z.union([z.boolean(), list(schema)]) as z.ZodType<boolean | string[]>, value =>
    typeof value === 'boolean' ? isPresent(name, value) : isAmong(name, value, type),
  )

const labelled = {
  flags: member(storedObject, value => contains('flags', value)),
  tags: member(storedObject, value => contains('tags', value)),
  meta: member(storedObject, value => contains('meta', value)),
}
const ids = { ids: some('id', ...UUID) }
const byStatus = oneOrSome('status', 'statuses', [status, 'text'])
const byRun = oneOrSome('run_id', 'run_ids', UUID)
const byBucket = { ...oneOrSome('timestamp', 'timestamps', TIME), ...oneOrSome('interval', 'intervals', INTEGER) }
const named = (comparison: 'like' | 'ilike'): Record<string, Member> => ({
  name: member(z.string(), text => hasText('name', text, comparison)),
  description: member(z.string(), text => hasText('description', text, comparison)),
})

/** All of the references, each by as much as is said of it; under which key does not matter. */
const REFERENCES_MAX = 100
const byReferences = member(list(recordOf(reference, { max: REFERENCES_MAX }), { max: REFERENCES_MAX }), maps => {
  const wanted = maps.flatMap(map => Object.values(map)).filter(({ id, slug, version }) => id ?? slug ?? version)
  const parts = wanted.map(one => sql`${column('references')} @> ${toJsonb([one] as Json)}::jsonb`)
  return parts.length === 0 ? sql`true` : sql.join(parts, sql` and `)
})

/** The assignees of a queue. */
const assignedTo = (values: readonly string[]): Condition => sql`exists (
  select from jsonb_path_query(${column('data')}, '$.user_ids[*][*]') one
  where one #>> '{}' in (select jsonb_array_elements_text(${toJsonb([...values])}::jsonb)))`

/** What each entity can be asked for. A row per member. */
const FILTERS = {
  runs: { ...ids, ...byStatus, ...labelled, ...named('ilike'), references: byReferences },
  scenarios: { ...ids, ...byRun, ...byStatus, ...byBucket, ...labelled },
  results: {
    ...ids,
    ...byRun,
    ...oneOrSome('scenario_id', 'scenario_ids', UUID),
    ...oneOrSome('step_key', 'step_keys', TEXT),
    ...oneOrSome('repeat_idx', 'repeat_idxs', INTEGER),
    ...byStatus,
    ...byBucket,
    ...labelled,
  },
  metrics: {
    ...ids,
    ...byRun,
    ...byStatus,
    ...byBucket,
    scenario_id: one('scenario_id', ...UUID),
    scenario_ids: someOrAny('scenario_id', UUID),
    timestamps: someOrAny('timestamp', TIME),
    ...labelled,
  },
  queues: {
    ...ids,
    ...byRun,
    ...named('like'),
    ...labelled,
    user_id: member(uuid, value => assignedTo([value])),
    user_ids: member(list(uuid), assignedTo),
  },
} satisfies Record<string, Record<string, Member>>

export type FilterName = keyof typeof FILTERS

/** A parsed filter: the members that were sent. */
export type Filter = Readonly<Record<string, unknown>>

/** The schema of an entity's filter; unknown members are ignored. */
export const filterBody = (name: FilterName) =>
  z.object(
    Object.fromEntries(Object.entries<Member>(FILTERS[name]).map(([key, { schema }]) => [key, optional(schema)])),
  )

/** The conditions of a filter; all of them hold. */
export const conditionsOf = (name: FilterName, filter: Filter = {}): Condition[] =>
  Object.entries<Member>(FILTERS[name])
    .filter(([key]) => filter[key] !== undefined)
    .map(([key, { where }]) => where(filter[key]))
