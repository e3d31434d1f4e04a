import { Problem, type Uuid } from '@spanhouse/model'
import { type Database, sql, withDatabaseProblems } from '@spanhouse/postgres'
import { list, z } from '@spanhouse/validation'
import { IDENTITIES_MAX } from '../accounts/account-body.ts'
import { hashPassword, newPassword, PASSWORD_METHOD } from '../credentials/password.ts'

/** `POST /admin/simple/accounts/reset-password`. */
export const passwordsBody = z.object({
  user_identities: list(z.object({ method: z.literal(PASSWORD_METHOD), subject: z.string(), password: newPassword }), {
    max: IDENTITIES_MAX,
  }),
})
export type PasswordsBody = z.output<typeof passwordsBody>

/**
 * Sets all passwords or none. Throws Problems: `not_found` for an unknown identity, `invalid` for one that is named
 * twice.
 */
export async function setPasswords(db: Database, { user_identities }: PasswordsBody): Promise<void> {
  if (user_identities.length === 0) return
  const subjects = user_identities.map(({ subject }) => subject)
  const ids = await withDatabaseProblems(() => findIdentities(db, subjects))
  const hashed = user_identities.map(
    async ({ password }, n) => sql`(${ids[n] as Uuid}::uuid, ${await hashPassword(password)})`,
  )
  const values = sql.join(await Promise.all(hashed))
  await withDatabaseProblems(() =>
    sql`update user_identities as one set password_hash = changed.hash, updated_at = now()
      from (values ${values}) as changed (id, hash) where one.id = changed.id`.execute(db),
  )
}

/** The ids of the identities, in order. Runs before hashing, which takes 0.2 s per password. */
async function findIdentities(db: Database, subjects: readonly string[]): Promise<Uuid[]> {
  const { rows } = await sql<{ subject: string; id: Uuid | null }>`
    select wanted.subject, one.id from unnest(${subjects}::text[]) with ordinality as wanted (subject, n)
    left join user_identities as one on one.method = ${PASSWORD_METHOD} and lower(one.subject) = lower(wanted.subject)
    order by wanted.n`.execute(db)
  const found = new Set<Uuid>()
  for (const { subject, id } of rows) {
    if (id === null)
      throw new Problem('not_found', { message: `No identity has the subject '${subject}'.`, ref: subject })
    if (found.has(id))
      throw new Problem('invalid', { message: `The subject '${subject}' is named more than once.`, ref: subject })
    found.add(id)
  }
  return [...found]
}
