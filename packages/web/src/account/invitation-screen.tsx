import { useMutation } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api } from '../api/client.ts'
import { forgetKey } from '../api/key.ts'
import { visible } from '../format/format.ts'
import frame from '../frame/frame.module.css'
import { Button, Failure } from '../parts/controls.tsx'

/** Accepts an invitation to a workspace with the key of the invited person, which the frame has asked for. */
export function InvitationScreen(): ReactNode {
  const { token, email, organization_id, workspace_id } = useSearch({ from: '/invitation' })
  const accepting = useMutation({
    mutationFn: () =>
      api(
        `/organizations/${encodeURIComponent(organization_id)}/workspaces/${encodeURIComponent(workspace_id)}/invite/accept`,
        {
          method: 'POST',
          body: { token, email },
        },
      ),
  })
  if (accepting.isSuccess)
    return (
      <div className={frame.page}>
        <h1>You are a member now</h1>
        <p role="status">
          An administrator creates your API keys for the projects of this workspace. Continue to the{' '}
          <Link to="/traces">traces</Link>.
        </p>
      </div>
    )
  return (
    <div className={frame.page}>
      <h1>Join a workspace</h1>
      <p>
        This invitation is for <b>{visible(email) || 'nobody: the link is incomplete'}</b>. It is accepted with the API
        key of that account.
      </p>
      {accepting.error && <Failure what="The invitation was not accepted." error={accepting.error} />}
      <div className={frame.form}>
        <Button look="primary" disabled={accepting.isPending} onClick={() => accepting.mutate()}>
          Accept the invitation
        </Button>
        <Button onClick={forgetKey}>Use another API key</Button>
      </div>
    </div>
  )
}
