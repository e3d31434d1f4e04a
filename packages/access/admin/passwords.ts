import { Problem } from '@spanhouse/model'
import { type Database, sql, withDatabaseProblems } from '@spanhouse/postgres'
import { list, z } from '@spanhouse/validation'
import { hashPassword, newPassword } from '../credentials/password.ts'

const IDENTITIES_MAX = 50

/** `POST /admin/simple/accounts/reset-password`. */
export const passwordsBody = z.object({
  user_identities: list(z.object({ method: z.literal('email:password'), subject: z.string(), password: newPassword }), {
    max: IDENTITIES_MAX,
  }),
})
export type PasswordsBody = z.output<typeof passwordsBody>

/** Sets all passwords or none. Throws a Problem `not_found` for an unknown identity. */
export async function setPasswords(db: Database, { user_identities }: PasswordsBody): Promise<void> {
  if (user_identities.length === 0) return
  await withDatabaseProblems(() => findIdentities(db, user_identities))
  const hashed = user_identities.map(
    async ({ subject, password }) => sql`(${subject}, ${await hashPassword(password)})`,
  )
  const values = sql.join(await Promise.all(hashed))
  await withDatabaseProblems(() =>
    sql`update user_identities as one set password_hash = changed.hash, updated_at = now()
      from (values ${values}) as changed (subject, hash)
      where one.method = 'email:password' and lower(one.subject) = lower(changed.subject)`.execute(db),
  )
}

/** Runs before hashing, which takes 0.2 s per password. */
async function findIdentities(db: Database, wanted: PasswordsBody['user_identities']): Promise<void> {
  const subjects = wanted.map(({ subject }) => subject)
  const { rows } = await sql<{ subject: string }>`
    select wanted.subject from unnest(${subjects}::text[]) as wanted (subject) where not exists (
      select from user_identities as one
      where one.method = 'email:password' and lower(one.subject) = lower(wanted.subject))`.execute(db)
  const [missing] = rows
  if (missing === undefined) return
  throw new Problem('not_found', { message: `No identity has the subject '${missing.subject}'.`, ref: missing.subject })
}
