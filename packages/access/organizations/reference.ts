import { Problem, parseUuid, type Uuid } from '@spanhouse/model'
import { type Database, sql } from '@spanhouse/postgres'
import { optional, z } from '@spanhouse/validation'

type ReferenceMember = 'ref' | 'id' | 'slug' | 'email'

/** A pointer to a record: by a name inside the same request (`ref`), or to one that exists. */
export interface Reference {
  by: ReferenceMember
  value: string
}

/** An object with exactly one of the members that make sense at its place. */
const referenceBy = (members: readonly ReferenceMember[]) =>
  z
    .object(Object.fromEntries(members.map(name => [name, optional(z.string())])))
    .transform(value => Object.entries(value).filter(([, member]) => member !== undefined))
    .refine(given => given.length === 1, `Value error, exactly one of ${members.join(', ')} must be given`)
    .transform(([given]): Reference => ({ by: given?.[0] as ReferenceMember, value: given?.[1] ?? '' }))

export const reference = referenceBy(['ref', 'id', 'slug'])
/** Where records that exist are meant: deletes, transfers and identities. */
export const referenceOrEmail = referenceBy(['ref', 'id', 'slug', 'email'])

/** The tables a reference can lead to, and the members by which records are found there. */
const TARGETS = {
  users: { name: 'user', members: ['id', 'email'] },
  organizations: { name: 'organization', members: ['id', 'slug'] },
  workspaces: { name: 'workspace', members: ['id'] },
  projects: { name: 'project', members: ['id'] },
} as const

export type ReferenceTarget = keyof typeof TARGETS

/** The names that a request gave to what it creates, by table. */
export type LocalNames = Readonly<Record<ReferenceTarget, Readonly<Record<string, Uuid>>>>

/**
 * The id of the record that the reference leads to; null when there is none. Throws a Problem `invalid` when it cannot
 * lead anywhere: a name that the request did not give, a bad UUID, a member by which this table is not searched.
 */
export async function findReferenced(
  db: Database,
  target: ReferenceTarget,
  reference: Reference,
  local?: LocalNames,
): Promise<Uuid | null> {
  return (await findReferences(db, [[target, reference]])).find(target, reference, local)
}

/** As {@link findReferenced}, but throws a Problem `not_found` when there is no such record. */
export async function resolveReference(
  db: Database,
  target: ReferenceTarget,
  reference: Reference,
  local?: LocalNames,
): Promise<Uuid> {
  return (await findReferences(db, [[target, reference]])).resolve(target, reference, local)
}

/** Finds records whose references were looked up before, all with a few statements. */
export interface FoundReferences {
  /** As {@link findReferenced}. */
  find(target: ReferenceTarget, reference: Reference, local?: LocalNames): Uuid | null
  /** As {@link resolveReference}. */
  resolve(target: ReferenceTarget, reference: Reference, local?: LocalNames): Uuid
}

export type WantedReference = readonly [target: ReferenceTarget, reference: Reference]

/** Looks all of them up: one statement for each table and member by which it is searched. Throws as `findReferenced`. */
export async function findReferences(db: Database, wanted: readonly WantedReference[]): Promise<FoundReferences> {
  const ids = new Map<string, Uuid>()
  const outside = wanted.filter(([, { by }]) => by !== 'ref')
  for (const [key, group] of Map.groupBy(outside, ([target, { by }]) => `${target} ${by}`)) {
    const [target, by] = key.split(' ') as [ReferenceTarget, Sought['by']]
    const values = group.map(([, reference]) => soughtValue(target, reference))
    for (const row of await rowsWith(db, { target, by, values })) ids.set(`${key} ${row.sought}`, row.id)
  }
  const find: FoundReferences['find'] = (target, reference, local) =>
    reference.by === 'ref'
      ? localId(target, reference, local)
      : (ids.get(`${target} ${reference.by} ${soughtValue(target, reference)}`) ?? null)
  return { find, resolve: (target, reference, local) => find(target, reference, local) ?? unknown(target, reference) }
}

interface Sought {
  target: ReferenceTarget
  by: Exclude<ReferenceMember, 'ref'>
  values: string[]
}

/** Case is folded by the database alone, which knows more letters or fewer than JavaScript. */
const MATCHES = {
  id: sql`one.id = wanted.value::uuid`,
  slug: sql`one.slug = wanted.value`,
  email: sql`lower(one.email) = lower(wanted.value)`,
}

async function rowsWith(db: Database, { target, by, values }: Sought): Promise<{ id: Uuid; sought: string }[]> {
  const found = sql<{ id: Uuid; sought: string }>`
    select one.id, wanted.value as sought from unnest(${values}::text[]) as wanted (value)
    join ${sql.table(target)} as one on ${MATCHES[by]}`
  return (await found.execute(db)).rows
}

/** The value by which the database is searched. */
function soughtValue(target: ReferenceTarget, { by, value }: Reference): string {
  const { name, members } = TARGETS[target]
  if (!(members as readonly ReferenceMember[]).includes(by))
    return badReference(`A ${name} cannot be referred to by its ${by}.`, value)
  return by === 'id' ? (parseUuid(value) ?? badReference(`'${value}' is not a UUID.`, value)) : value
}

function localId(target: ReferenceTarget, { value }: Reference, local: LocalNames | undefined): Uuid {
  const names = local?.[target] ?? {}
  return Object.hasOwn(names, value)
    ? (names[value] as Uuid)
    : badReference(`There is no ${TARGETS[target].name} '${value}' in this request.`, value)
}

function unknown(target: ReferenceTarget, { value }: Reference): never {
  throw new Problem('not_found', { message: `There is no ${TARGETS[target].name} '${value}'.`, ref: value })
}

function badReference(message: string, ref: string): never {
  throw new Problem('invalid', { message, ref })
}
