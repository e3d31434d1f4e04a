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

/** The tables a reference can lead to, and the condition by which each of its members finds a record there. */
const TARGETS = {
  users: { name: 'user', conditions: { id: sql`id =`, email: sql`lower(email) =` } },
  organizations: { name: 'organization', conditions: { id: sql`id =`, slug: sql`slug =` } },
  workspaces: { name: 'workspace', conditions: { id: sql`id =` } },
  projects: { name: 'project', conditions: { id: sql`id =` } },
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
  { by, value }: Reference,
  local?: LocalNames,
): Promise<Uuid | null> {
  const { name, conditions } = TARGETS[target]
  if (by === 'ref')
    return local?.[target][value] ?? badReference(`There is no ${name} '${value}' in this request.`, value)
  const condition = conditions[by as keyof typeof conditions]
  if (condition === undefined) return badReference(`A ${name} cannot be referred to by its ${by}.`, value)
  if (by === 'id' && parseUuid(value) === null) return badReference(`'${value}' is not a UUID.`, value)
  const sought = by === 'email' ? sql`lower(${value})` : value
  const found = sql<{ id: Uuid }>`select id from ${sql.table(target)} where ${condition} ${sought}`
  return (await found.execute(db)).rows[0]?.id ?? null
}

/** As {@link findReferenced}, but throws a Problem `not_found` when there is no such record. */
export async function resolveReference(
  db: Database,
  target: ReferenceTarget,
  reference: Reference,
  local?: LocalNames,
): Promise<Uuid> {
  const id = await findReferenced(db, target, reference, local)
  if (id !== null) return id
  const { value } = reference
  throw new Problem('not_found', { message: `There is no ${TARGETS[target].name} '${value}'.`, ref: value })
}

function badReference(message: string, ref: string): never {
  throw new Problem('invalid', { message, ref })
}
