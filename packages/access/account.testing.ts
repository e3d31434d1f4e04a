import { type Database, sql, type Tables } from '@spanhouse/postgres'
import { validate } from '@spanhouse/validation'
import type { AccountAnswer, AccountsAnswer } from './accounts/account-answer.ts'
import { createAccountsBody } from './accounts/account-body.ts'
import { createAccounts } from './accounts/accounts.ts'
import type { Seed } from './accounts/seed.ts'
import { openAuthenticator } from './credentials/authenticate.ts'
import type { ProjectPrincipal } from './credentials/principal.ts'

const SECRET = 'a-secret-of-the-deployment'

let emails = 0
/** An address that no other test uses. */
export const freshEmail = (): string => `user-${process.pid}-${++emails}@corp.test`

export const create = async (db: Database, body: unknown, seeds: Seed[] = []): Promise<AccountsAnswer> =>
  createAccounts(db, validate(createAccountsBody, body, 'body'), { secret: SECRET, seeds })

/** The number of rows in a table. */
export async function countOf(db: Database, table: keyof Tables): Promise<number> {
  const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(db)
  return rows[0]?.count ?? -1
}

/** Creates one account; `members` are merged into its body. */
export async function makeAccount(db: Database, members: object = {}): Promise<AccountAnswer> {
  const account = { user: { email: freshEmail() }, ...members }
  const { accounts } = await create(db, { accounts: { a: account } })
  return accounts.a as AccountAnswer
}

/** The only account in a response. */
export function only(answer: AccountsAnswer): AccountAnswer {
  const [account, ...others] = Object.values(answer.accounts)
  if (account === undefined || others.length > 0) throw new Error('not exactly one account')
  return account
}

/** The principal of the account's key, loaded again. */
export async function principalOf(db: Database, account: AccountAnswer): Promise<ProjectPrincipal> {
  const principal = await openAuthenticator(db, {}).authenticate(`ApiKey ${account.api_keys?.key}`, '/x')
  if (principal.kind !== 'project') throw new Error('not a project')
  return principal
}
