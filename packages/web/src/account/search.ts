/** What an invitation's link says. */
export interface Invitation {
  token: string
  email: string
  organization_id: string
  workspace_id: string
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** A member that is missing is empty: the server says then what is wrong. */
export const readInvitation = ({
  token,
  email,
  organization_id,
  workspace_id,
}: Record<string, unknown>): Invitation => ({
  token: textOf(token),
  email: textOf(email),
  organization_id: textOf(organization_id),
  workspace_id: textOf(workspace_id),
})

/** The link with which a new password is set. */
export const readPasswordLink = ({ token }: Record<string, unknown>): { token: string } => ({ token: textOf(token) })
