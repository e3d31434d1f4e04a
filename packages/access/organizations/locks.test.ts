import { type Database, newId, sql } from '@spanhouse/postgres'
import { expect, test } from 'vitest'
import { onNetworkedDatabase, sessionsWaiting } from '../../postgres/database.testing.ts'
import { makeAccount, principalOf } from '../account.testing.ts'
import { deleteAccounts } from '../accounts/deletion.ts'
import { removeEntity } from '../admin/removal.ts'
import type { ProjectPrincipal } from '../credentials/principal.ts'
import { acceptInvitation, invite } from './invitations.ts'
import { removeMember } from './members.ts'
import { transferOrganization } from './ownership.ts'

const cache = { forget: () => undefined }

onNetworkedDatabase('changes to one organization at the same time', postgres => {
  const db = (): Database => postgres().db

  test('somebody who becomes the owner is not removed by a removal that began before', async () => {
    const { host, member } = await hostAndMember()
    const { organization_id, workspace_id } = host
    await db()
      .insertInto('workspace_memberships')
      .values({ id: newId(), workspace_id, user_id: member.user_id, role: 'editor' })
      .execute()
    const change = { cache, principal: host, workspace_id }
    await whileLocked({ workspaces: workspace_id }, [
      () => removeMember(db(), change, member.user_email),
      () => transferOrganization(db(), change, { organization_id, user_id: member.user_id }),
    ])
    const { owner_id } = await db()
      .selectFrom('organizations')
      .select('owner_id')
      .where('id', '=', organization_id)
      .executeTakeFirstOrThrow()
    const members = await db()
      .selectFrom('organization_memberships')
      .select('user_id')
      .where('organization_id', '=', organization_id)
      .execute()
    expect(members.map(({ user_id }) => user_id)).toContain(owner_id)
  })

  test('somebody who joins and a new owner do not wait for each other', async () => {
    const { host, member } = await hostAndMember()
    const guest = await principalOf(db(), await makeAccount(db()))
    const { organization_id, workspace_id } = host
    const place = { organization_id, workspace_id, origin: 'http://x.test' }
    const entries = [{ email: guest.user_email, roles: ['editor'] }]
    const { url } = await invite(db(), host, { place, entries })
    const token = new URL(url).searchParams.get('token') as string
    const { id } = await db()
      .selectFrom('invitations')
      .select('id')
      .where('workspace_id', '=', workspace_id)
      .executeTakeFirstOrThrow()
    const done = await whileLocked({ invitations: id }, [
      () => acceptInvitation(db(), { cache, principal: guest }, { place, token, address: guest.user_email }),
      () => transferOrganization(db(), { cache, principal: host }, { organization_id, user_id: member.user_id }),
    ])
    expect(done.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
  })

  const asAccount = async (id: string): Promise<unknown> => {
    const accounts = new Map([['k', { user: { by: 'id', value: id } as const }]])
    const deleted = await deleteAccounts(db(), cache, { accounts, dry_run: false, reason: undefined })
    expect(deleted).toEqual({ users: [id], organizations: [], workspaces: [], projects: [] })
    return deleted.users
  }
  const byId = async (id: string): Promise<unknown> =>
    (await removeEntity(db(), cache, { plural: 'users', id })).deleted.users?.map(user => user.id)

  test.each([
    ['with its owner as a member', asAccount, true],
    ['without its owner as a member', asAccount, false],
    ['without its owner, deleted by id, as a member', byId, false],
  ])('an organization %s stays when it is handed over while its owner is deleted', async (_name, remove, isMember) => {
    const { host, member } = await hostAndMember()
    const { organization_id, user_id } = host
    const memberships = () => db().selectFrom('organization_memberships').where('organization_id', '=', organization_id)
    // Administrators can make an organization whose owner is no member.
    if (!isMember) await db().deleteFrom('organization_memberships').where('user_id', '=', user_id).execute()
    const { id } = await memberships().select('id').where('user_id', '=', member.user_id).executeTakeFirstOrThrow()
    const done = await whileLocked({ organization_memberships: id }, [
      () => transferOrganization(db(), { cache, principal: host }, { organization_id, user_id: member.user_id }),
      () => remove(user_id),
    ])
    expect(done).toMatchObject([{ status: 'fulfilled' }, { value: [user_id] }])
    expect(await memberships().select('user_id').execute()).toEqual([{ user_id: member.user_id }])
  })

  /** An owner, and a member of the organization who has no role in its workspace. */
  async function hostAndMember(): Promise<{ host: ProjectPrincipal; member: ProjectPrincipal }> {
    const [host, member] = [
      await principalOf(db(), await makeAccount(db())),
      await principalOf(db(), await makeAccount(db())),
    ]
    const { organization_id } = host
    await db()
      .insertInto('organization_memberships')
      .values({ id: newId(), organization_id, user_id: member.user_id, role: 'viewer' })
      .execute()
    return { host, member }
  }

  /** Starts the works one after the other, each as soon as the previous one waits or is done, while a row is locked. */
  async function whileLocked(
    row: { workspaces: string } | { invitations: string } | { organization_memberships: string },
    works: (() => Promise<unknown>)[],
  ): Promise<PromiseSettledResult<unknown>[]> {
    const [[table, id]] = Object.entries(row) as [[string, string]]
    const begun: Promise<unknown>[] = []
    await db()
      .transaction()
      .execute(async holder => {
        await sql`select from ${sql.table(table)} where id = ${id} for update`.execute(holder)
        let settled = 0
        for (const work of works) {
          const one = work()
          begun.push(one)
          one.catch(() => undefined).finally(() => settled++)
          await expect.poll(async () => settled + (await sessionsWaiting(db())), { interval: 10 }).toBe(begun.length)
        }
      })
    return Promise.allSettled(begun)
  }
})
