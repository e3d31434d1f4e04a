import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { DEPLOYED } from '../api/registry/environments.ts'
import {
  configurationOf,
  deploy,
  deployedQuery,
  type Environment,
  environmentsQuery,
  type Kind,
  type Revision,
} from '../api/registry/registry.ts'
import { useRefusal } from '../api/rights.ts'
import { Diff } from '../editor/editor.tsx'
import { visible } from '../format/format.ts'
import { Choices, Failure, TextField } from '../parts/controls.tsx'
import { FormModal } from '../parts/modal.tsx'
import styles from './playground.module.css'
import { readable } from './readable.ts'

interface DeployDialogProps {
  kind: Kind
  revision: Revision
  onClose: () => void
}

/** Deploys a revision to an environment, after showing what would change there. */
export function DeployDialog(props: DeployDialogProps): ReactNode {
  const { data: environments, error } = useQuery(environmentsQuery)
  const [chosen, setChosen] = useState<string>()
  const environment = environments?.find(({ id }) => id === chosen) ?? environments?.[0]
  return (
    <DeployForm {...props} environment={environment}>
      {error && <Failure what="The environments cannot be listed." error={error} />}
      {environments?.length === 0 && <p>This project has no environment.</p>}
      {environments && environment && (
        <Choices
          label="Environment"
          value={environment.id}
          choices={environments.map(({ id, slug, name }) => [id, visible(name ?? slug)] as const)}
          onChange={setChosen}
        />
      )}
      {environment && (
        <Link to="/settings/$section" params={{ section: 'environments' }} search={{ environment: environment.id }}>
          What was deployed there
        </Link>
      )}
    </DeployForm>
  )
}

interface DeployFormProps extends DeployDialogProps {
  environment: Environment | undefined
  children?: ReactNode
}

/** Deploys a revision to an environment that was chosen before, or by the children. */
export function DeployForm({ kind, revision, environment, onClose, children }: DeployFormProps): ReactNode {
  const [message, setMessage] = useState('')
  const queryClient = useQueryClient()
  const mayEdit = useRefusal('edit_environments')
  const mayDeploy = useRefusal('deploy_environments')
  const refusal = mayEdit ?? (environment?.flags?.is_guarded ? mayDeploy : undefined)
  const run = useMutation({
    mutationFn: async ({ id, slug, name }: Environment) => {
      await deploy(kind, { revision_id: revision.id, environment_id: id, message })
      return visible(name ?? slug)
    },
    onSuccess: async () => {
      await Promise.all(DEPLOYED.map(name => queryClient.invalidateQueries({ queryKey: [name] })))
    },
  })
  return (
    <FormModal
      title={`Deploy ${revision.artifact_slug} v${revision.version}`}
      isWide
      onClose={onClose}
      onSubmit={() => environment && run.mutate(environment)}
      submit={`Deploy to ${visible(environment?.name ?? environment?.slug ?? '…')}`}
      isOff={run.isPending || environment === undefined || refusal !== undefined}
      isDone={run.isSuccess}
    >
      {!run.isSuccess && children}
      {refusal !== undefined && <p className={styles.soft}>{refusal}</p>}
      {run.isSuccess ? (
        <p role="status">
          Deployed: {run.data} now runs v{revision.version}.
        </p>
      ) : (
        <>
          <TextField className={styles.field} label="Message" value={message} onChange={setMessage} />
          {environment && <Change kind={kind} revision={revision} environment={environment} />}
        </>
      )}
      {run.error && <Failure what="It was not deployed." error={run.error} />}
    </FormModal>
  )
}

/** What would change in the environment. */
function Change({
  kind,
  revision,
  environment,
}: {
  kind: Kind
  revision: Revision
  environment: Environment
}): ReactNode {
  const { data: deployed, error } = useQuery(deployedQuery(kind, revision.artifact_id, environment.id))
  if (error) return <Failure what="What is deployed there cannot be read." error={error} />
  if (deployed === undefined) return <p className={styles.soft}>Reading what is deployed there …</p>
  if (deployed?.id === revision.id) return <p>This revision is deployed there already.</p>
  if (deployed === null) return <p>Nothing of it is deployed there yet.</p>
  return (
    <>
      <p>v{deployed.version} is deployed there now. The change:</p>
      <Diff
        label={`Change of ${environment.slug}`}
        before={readable(configurationOf(deployed))}
        after={readable(configurationOf(revision))}
      />
    </>
  )
}
