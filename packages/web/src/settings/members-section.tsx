import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { api } from '../api/client.ts'
import { projectQuery } from '../api/queries.ts'
import { useRefusal } from '../api/rights.ts'
import { type Member, memberRolesQuery, type Organization, organizationQuery, useChange } from '../api/settings.ts'
import { formatTime, visible } from '../format/format.ts'
import { ConfirmButton } from '../parts/confirm-button.tsx'
import { Button, controls, Failure, Waiting } from '../parts/controls.tsx'
import { CopyButton } from '../parts/copy-button.tsx'
import { Refusal } from './refusal.tsx'
import styles from './settings.module.css'

/** Who is a member of the workspace, with which role. */
export function MembersSection(): ReactNode {
  const { data: project, error: projectError } = useQuery(projectQuery)
  const { data: organization, error: organizationError } = useQuery(organizationQuery(project?.organization_id))
  const error = projectError ?? organizationError
  if (error) return <Failure what="The members cannot be listed." error={error} />
  if (!project || !organization) return <Waiting />
  const workspace = organization.default_workspace
  if (workspace?.id !== project.workspace_id)
    return <p>This project is in another workspace than the first of its organization, whose members are shown here.</p>
  return <Members workspace_id={workspace.id} organization={organization} members={workspace.members} />
}

interface MembersProps {
  workspace_id: string
  organization: Organization
  members: readonly Member[]
}

function Members({ workspace_id, organization, members }: MembersProps): ReactNode {
  const { data: roles = [] } = useQuery(memberRolesQuery)
  const refusal = useRefusal('modify_user_roles')
  const assign = useChange(
    ({ email, role }: { email: string; role: string }) =>
      api(`/workspaces/${workspace_id}/roles`, {
        method: 'POST',
        body: { email, role, organization_id: organization.id },
      }),
    'organization',
  )
  const remove = useChange(
    (email: string) =>
      api(`/workspaces/${workspace_id}/users?email=${encodeURIComponent(email)}`, { method: 'DELETE' }),
    'organization',
  )
  const failure = assign.error ?? remove.error
  return (
    <>
      <p>The members of the workspace are members of all its projects.</p>
      <Refusal>{refusal}</Refusal>
      {failure && <Failure what="It was not changed." error={failure} />}
      <ul className={styles.list}>
        {members.map(({ user, roles: [role] }) => {
          const isOwner = user.id === organization.owner_id
          const reason = isOwner ? 'The owner of the organization keeps all rights.' : refusal
          return (
            <li key={user.id}>
              <span>{visible(user.email)}</span>
              <select
                className={controls.select}
                aria-label={`Role of ${user.email}`}
                disabled={reason !== undefined}
                title={reason}
                value={role?.role_name ?? ''}
                onChange={event => assign.mutate({ email: user.email, role: event.target.value })}
              >
                {role === undefined && <option value="">no role</option>}
                {roles.map(({ role_name }) => (
                  <option key={role_name}>{role_name}</option>
                ))}
              </select>
              <ConfirmButton
                question={`Remove ${user.email}?`}
                disabled={reason !== undefined}
                title={reason}
                aria-label={`Remove ${user.email}`}
                onClick={() => remove.mutate(user.email)}
              >
                Remove
              </ConfirmButton>
            </li>
          )
        })}
        {organization.invitations.map(({ id, email, role, expires_at }) => (
          <li key={id}>
            <span>{visible(email)}</span>
            <span className={styles.soft}>
              invited as {role}, until {formatTime(expires_at)}
            </span>
            <ConfirmButton
              question={`Withdraw the invitation of ${email}?`}
              disabled={refusal !== undefined}
              title={refusal}
              aria-label={`Withdraw the invitation of ${email}`}
              onClick={() => remove.mutate(email)}
            >
              Withdraw
            </ConfirmButton>
          </li>
        ))}
      </ul>
      <Invite workspace_id={workspace_id} organization_id={organization.id} />
      <dl className={styles.roles}>
        {roles.map(({ role_name, role_description }) => (
          <div key={role_name}>
            <dt>{role_name}</dt>
            <dd>{role_description}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}

/** Invites an address. No email is sent, so the inviting user passes the link on. */
function Invite({ workspace_id, organization_id }: { workspace_id: string; organization_id: string }): ReactNode {
  const { data: roles = [] } = useQuery(memberRolesQuery)
  const [email, setEmail] = useState('')
  const [role, setRole] = useState('viewer')
  const refusal = useRefusal('add_new_user_to_workspace')
  const invite = useChange(
    () =>
      api<{ url: string }>(`/organizations/${organization_id}/workspaces/${workspace_id}/invite`, {
        method: 'POST',
        body: [{ email, roles: [role] }],
      }),
    'organization',
  )
  return (
    <form
      className={styles.form}
      onSubmit={event => {
        event.preventDefault()
        invite.mutate(undefined)
      }}
    >
      <h2>Invite</h2>
      <Refusal>{refusal}</Refusal>
      <div className={styles.fields}>
        <input
          className={controls.input}
          type="email"
          aria-label="Email address"
          placeholder="name@example.com"
          required
          disabled={refusal !== undefined}
          value={email}
          onChange={event => setEmail(event.target.value)}
        />
        <select
          className={controls.select}
          aria-label="Role"
          disabled={refusal !== undefined}
          value={role}
          onChange={event => setRole(event.target.value)}
        >
          {roles.map(({ role_name }) => (
            <option key={role_name}>{role_name}</option>
          ))}
        </select>
        <Button type="submit" disabled={refusal !== undefined || invite.isPending} title={refusal}>
          Invite
        </Button>
      </div>
      {invite.data && (
        <div className={styles.made} role="status">
          <p>Send this link to the person you invite. It works once, for seven days.</p>
          <code>{invite.data.url}</code>
          <CopyButton text={invite.data.url} />
        </div>
      )}
      {invite.error && <Failure what="The invitation was not created." error={invite.error} />}
    </form>
  )
}
