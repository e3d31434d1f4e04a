import { randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import { newMember, newPerson } from '../people.ts'
import { bodyOf, type Day } from './caller.ts'

const { set } = inject('target')

const newEmail = (): string => `${randomUUID()}@corp.test`

/** Keys, secrets, projects, organizations and their people, by themselves and by administration. */
export async function keepAccounts(day: Day): Promise<void> {
  await keepProjects(day)
  await keepPeople(day)
  await keepOrganizations(day)
  await administer(day)
}

async function keepProjects({ as, host }: Day): Promise<void> {
  const key = await as('POST', '/keys')
  await as('DELETE', `/keys/${key.split('.')[0]}`)
  const secret = { kind: 'provider_key', data: { kind: 'openai', provider: { key: randomUUID() } } }
  const { id } = await as('POST', '/secrets', { header: {}, secret })
  await as('PUT', `/secrets/${id}`, { secret })
  await as('DELETE', `/secrets/${id}`)
  await as('PUT', '/profile/username', { username: 'Quinn' })
  await as('POST', `/profile/reset-password?user_id=${host.user_id}`)
  const { project_id } = await as('POST', '/projects', { name: 'Second' })
  await as('PATCH', `/projects/${project_id}`, { name: 'Other' })
  await as('DELETE', `/projects/${project_id}`)
  await as('PUT', '/projects/current/prices', { prices: { m: { input: 1, output: 2 } } })
  await as('PUT', '/projects/current/retention', { days: 30 })
  await as('PUT', '/projects/current/quotas', { project: { requests_per_second: 1_000 } })
  // The ClickHouse server of the networked set takes its users from files alone.
  if (set === 'embedded') {
    await as('PUT', '/projects/current/sql-reader')
    await as('DELETE', '/projects/current/sql-reader')
  }
  await as('PUT', '/events/retention', { days: 40 })
}

async function keepPeople({ as, host }: Day): Promise<void> {
  const { organization_id, workspace_id } = host
  const path = `/organizations/${organization_id}/workspaces/${workspace_id}/invite`
  const email = newEmail()
  await as('POST', path, [{ email }])
  await as('POST', `${path}/resend`, { email })
  const member = await newMember(host, 'viewer')
  const roles = `/workspaces/${workspace_id}/roles`
  const role = { email: member.email, organization_id, role: 'editor' }
  await as('POST', roles, role)
  await as('DELETE', `${roles}?${new URLSearchParams(role)}`)
  await as('DELETE', `/workspaces/${workspace_id}/users?email=${member.email}`)
}

async function keepOrganizations({ as, host }: Day): Promise<void> {
  const { id } = await as('POST', '/organizations', { name: 'New' })
  await as('PUT', `/organizations/${id}`, { name: 'Newer' })
  await as('PATCH', `/organizations/${id}`, { description: 'Newest' })
  const workspace = await as('POST', `/organizations/${host.organization_id}/workspaces`, { name: 'W' })
  await as('PUT', `/organizations/${host.organization_id}/workspaces/${workspace.id}`, { name: 'V' })
  await as('DELETE', `/organizations/${id}`)
  const other = await newPerson()
  const heir = await newMember(other, 'admin')
  const path = `/organizations/${other.organization_id}/transfer/${heir.user_id}`
  bodyOf(path, await other.ask('POST', path))
}

async function administer({ admin }: Day): Promise<void> {
  await admin('POST', '/simple/accounts', { accounts: { one: { user: { email: newEmail() } } } })
  const [account] = (await admin('POST', '/accounts', { users: { u: { email: newEmail() } } })).accounts
  await admin('DELETE', '/accounts', { target: { user_ids: [account.users.u.id] }, dry_run: false, confirm: true })
  const created = async (path: string, body: object): Promise<any> =>
    (await admin('POST', `/simple/accounts${path}`, body)).accounts[0]
  const newUser = async (): Promise<string> => idOf((await created('/users', { user: { email: newEmail() } })).users)
  const [user, other] = [await newUser(), await newUser()]
  const user_ref = { id: user }
  const subject = newEmail()
  const identity = await created('/users/identities', {
    user_ref,
    user_identity: { method: 'email:password', subject, password: 'Long-Enough-1' },
  })
  await admin('POST', '/simple/accounts/reset-password', {
    user_identities: [{ method: 'email:password', subject, password: 'Longer-Still-2' }],
  })
  const organization = await created('/organizations', { organization: { name: 'O' }, owner: user_ref })
  const organization_ref = { id: idOf(organization.organizations) }
  const workspace_ref = {
    id: idOf((await created('/workspaces', { workspace: { name: 'W', organization_ref } })).workspaces),
  }
  const project = { name: 'P', organization_ref, workspace_ref }
  const project_ref = { id: idOf((await created('/projects', { project })).projects) }
  const key = await created('/api-keys', { api_key: { project_ref, user_ref } })
  for (const [path, ref] of Object.entries({
    organizations: { organization_ref },
    workspaces: { workspace_ref },
    projects: { project_ref },
  }))
    await created(`/${path}/memberships`, { membership: { ...ref, user_ref: { id: other }, role: 'viewer' } })
  await admin('POST', '/simple/accounts/transfer-ownership', {
    users: { source: user_ref, target: { id: other } },
    organizations: { o: organization_ref },
  })
  await admin('DELETE', `/simple/accounts/users/${user}/identities/${idOf(identity.user_identities)}`)
  await admin('DELETE', `/simple/accounts/api-keys/${idOf(key.api_keys)}`)
  await admin('DELETE', `/simple/accounts/projects/${project_ref.id}`)
  await admin('DELETE', `/simple/accounts/workspaces/${workspace_ref.id}`)
  await admin('DELETE', `/simple/accounts/organizations/${organization_ref.id}`)
  await admin('DELETE', `/simple/accounts/users/${user}`)
  await admin('DELETE', '/simple/accounts', { accounts: { one: { user: { id: other } } }, confirm: true })
}

const idOf = (made: Record<string, { id: string }>): string => (Object.values(made)[0] as { id: string }).id
