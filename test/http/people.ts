import { createHmac, randomUUID } from 'node:crypto'
import { inject } from 'vitest'
import { type Answer, call } from '../harness.ts'

const { apiUrl, adminKey, tokenKey } = inject('target')

/** A user with an account. */
export interface Person {
  user_id: string
  email: string
  organization_id: string
  workspace_id: string
  project_id: string
  /** `ApiKey …` of the person's own project. */
  authorization: string
  ask(method: string, path: string, body?: unknown): Promise<Answer>
}

export async function newPerson(email = `${randomUUID()}@corp.test`): Promise<Person> {
  const made = await call(apiUrl, 'POST', '/api/admin/simple/accounts/', `Access ${adminKey}`, {
    accounts: { one: { user: { email } } },
  })
  if (made.status !== 200) throw new Error(`no account: ${made.status} ${made.text}`)
  const { user, organizations, workspaces, projects, api_keys } = made.body.accounts.one
  const authorization = `ApiKey ${api_keys.key}`
  return {
    user_id: user.id,
    email,
    organization_id: organizations.org.id,
    workspace_id: workspaces.wrk.id,
    project_id: projects.prj.id,
    authorization,
    ask: (method, path, body) => call(apiUrl, method, `/api${path}`, authorization, body),
  }
}

/** An `Authorization` header with which a worker acts for the user in the project. */
export function secretFor(user_id: string, project_id: string): string {
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url')
  const claims = { user_id, project_id, exp: Math.floor(Date.now() / 1000) + 600 }
  const signed = `${encode({ alg: 'HS256', typ: 'JWT' })}.${encode(claims)}`
  return `Secret ${signed}.${createHmac('sha256', tokenKey).update(signed).digest('base64url')}`
}

/** The person acts in the host's project, with what rights they have there. */
export const actIn =
  (host: Person, person: Person) =>
  (method: string, path: string, body?: unknown): Promise<Answer> =>
    call(apiUrl, method, `/api${path}`, secretFor(person.user_id, host.project_id), body)

/** Somebody whom the host has invited with the role, and who has accepted. */
export async function newMember(host: Person, role: string): Promise<Person> {
  const person = await newPerson()
  const path = `/organizations/${host.organization_id}/workspaces/${host.workspace_id}/invite`
  const invited = await host.ask('POST', path, [{ email: person.email, roles: [role] }])
  const token = new URL(invited.body.url).searchParams.get('token')
  const accepted = await person.ask('POST', `${path}/accept`, { token, email: person.email })
  if (accepted.status !== 200) throw new Error(`not a member: ${invited.text} ${accepted.text}`)
  return person
}
