import { Problem, parseUuid, type Uuid } from '@spanhouse/model'
import { type Database, sql } from '@spanhouse/postgres'
import { optional, z } from '@spanhouse/validation'

type ReferenceMember = 'ref' | 'id' | 'slug' | 'email'

/** A reference to an entity: by its name in the same request (`ref`), or to an existing one. */
export interface Reference {
  by: ReferenceMember
  value: string
}

export const named = (value: string): Reference => ({ by: 'ref', value })
export const byId = (value: string): Reference => ({ by: 'id', value })
export const byEmail = (value: string): Reference => ({ by: 'email', value })

/** An object with exactly one of the given members. */
const referenceBy = (members: readonly ReferenceMember[]) =>
  z
    .object(Object.fromEntries(members.map(name => [name, optional(z.string())])))
    .transform(value => Object.entries(value).filter(([, member]) => member !== undefined))
    .refine(given => given.length === 1, `Value error, exactly one of ${members.join(', ')} must be given`)
    .transform(([given]): Reference => ({ by: given?.[0] as ReferenceMember, value: given?.[1] ?? '' }))

export const reference = referenceBy(['ref', 'id', 'slug'])
/** For references to existing entities only: in deletes, transfers and identities. */
export const referenceOrEmail = referenceBy(['ref', 'id', 'slug', 'email'])

/** The tables that references point to, and the members by which their rows are found. */
const TARGETS = {
  users: { name: 'user', members: ['id', 'email'] },
  organizations: { name: 'organization', members: ['id', 'slug'] },
  workspaces: { name: 'workspace', members: ['id'] },
  projects: { name: 'project', members: ['id'] },
} as const

export type ReferenceTarget = keyof typeof TARGETS

/** The names that a request gives to the entities it creates, by table. */
export type LocalNames = Readonly<Record<ReferenceTarget, Readonly<Record<string, Uuid>>>>

/**
 * The id of the referenced user, or null if there is none. Throws a Problem `invalid` for a name that is not in the
 * request, a malformed UUID, or a member that does not identify users.
 */
export async function findUser(db: Database, reference: Reference): Promise<Uuid | null> {
  return (await findReferences(db, [['users', reference]])).find('users', reference)
}

/** As {@link findUser}, but throws a Problem `not_found` if there is none. */
export async function resolveUser(db: Database, reference: Reference): Promise<Uuid> {
  return (await findReferences(db, [['users', reference]])).resolve('users', reference)
}

/** The results of a lookup of many references with a few statements. */
export interface FoundReferences {
  /** As {@link findUser}, in any table. */
  find(target: ReferenceTarget, reference: Reference, local?: LocalNames): Uuid | null
  /** As {@link resolveUser}, in any table. */
  resolve(target: ReferenceTarget, reference: Reference, local?: LocalNames): Uuid
}

export type WantedReference = readonly [target: ReferenceTarget, reference: Reference]

/** Looks up all references, with one statement for each table and member. Throws as {@link findUser}. */
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

/** The database folds case, because JavaScript's rules differ from its own. */
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

/** The value to search the database for. */
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
    : badReference(`This request has no ${TARGETS[target].name} '${value}'.`, value)
}

function unknown(target: ReferenceTarget, { value }: Reference): never {
  throw new Problem('not_found', { message: `The ${TARGETS[target].name} '${value}' does not exist.`, ref: value })
}

function badReference(message: string, ref: string): never {
  throw new Problem('invalid', { message, ref })
}
