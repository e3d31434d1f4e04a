import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { projectQuery } from '../api/queries.ts'
import {
  type Change,
  changesOf,
  type EnvironmentRevision,
  environmentHistoryQuery,
} from '../api/registry/environments.ts'
import { configurationOf, type Environment, environmentsQuery, type Kind } from '../api/registry/registry.ts'
import { revisionQuery } from '../api/registry/revisions.ts'
import { organizationQuery } from '../api/settings.ts'
import { Diff } from '../editor/editor.tsx'
import { formatFullTime, formatTime, visible } from '../format/format.ts'
import { Button, Choices, Failure, Waiting } from '../parts/controls.tsx'
import { useChangeOf } from '../parts/use-change-of.ts'
import { DeployForm } from '../playground/deploy-dialog.tsx'
import { readable } from '../playground/readable.ts'
import type { SettingsSearch } from './search.ts'
import styles from './settings.module.css'

const nameOf = ({ name, slug }: Environment): string => visible(name ?? slug)

/** What was deployed to which environment, when and by whom; what ran there before can be deployed again. */
export function EnvironmentsSection(): ReactNode {
  const { environment: chosen } = useSearch({ from: '/settings/$section' })
  const change = useChangeOf<SettingsSearch>()
  const { data: environments, error } = useQuery(environmentsQuery)
  const environment = environments?.find(({ id }) => id === chosen) ?? environments?.[0]
  return (
    <>
      <p>Applications and evaluators are deployed in the playground.</p>
      {error && <Failure what="The environments cannot be listed." error={error} />}
      {environments?.length === 0 && <p className={styles.soft}>This project has no environment.</p>}
      {environments && environment && (
        <>
          <Choices
            label="Environment"
            value={environment.id}
            choices={environments.map(one => [one.id, nameOf(one)] as const)}
            onChange={id => change({ environment: id })}
          />
          <History key={environment.id} environment={environment} />
        </>
      )}
    </>
  )
}

function History({ environment }: { environment: Environment }): ReactNode {
  const list = useInfiniteQuery(environmentHistoryQuery(environment.id))
  const all = list.data?.pages.flatMap(page => page.environment_revisions) ?? []
  // What the oldest one has changed is known from the page that follows.
  const deployments = all
    .slice(0, list.hasNextPage ? -1 : undefined)
    .map((revision, at) => ({ revision, changes: changesOf(revision, all[at + 1]) }))
    .filter(({ changes }) => changes.length > 0)
  return (
    <>
      {list.error && <Failure what="The deployments cannot be listed." error={list.error} />}
      {list.isPending && <Waiting />}
      {list.data && deployments.length === 0 && !list.hasNextPage && (
        <p className={styles.soft}>Nothing has been deployed there yet.</p>
      )}
      {deployments.length > 0 && (
        <ol className={styles.deployments} aria-label={`Deployments to ${nameOf(environment)}, newest first`}>
          {deployments.map(({ revision, changes }) => (
            <li key={revision.id}>
              <Heading revision={revision} />
              {changes.map(one => (
                <ChangeView key={one.name} environment={environment} change={one} />
              ))}
            </li>
          ))}
        </ol>
      )}
      {list.hasNextPage && <Button onClick={() => void list.fetchNextPage()}>Show more</Button>}
    </>
  )
}

function Heading({ revision: { date, author, message } }: { revision: EnvironmentRevision }): ReactNode {
  const { data: project } = useQuery(projectQuery)
  const { data: organization } = useQuery(organizationQuery(project?.organization_id))
  const member = organization?.default_workspace?.members.find(({ user }) => user.id === author)
  return (
    <header>
      <time title={formatFullTime(date)}>{formatTime(date)}</time>
      {author !== undefined && (
        <span title={author}>by {member ? visible(member.user.username) : `…${author.slice(-6)}`}</span>
      )}
      {message && <span className={styles.message}>{visible(message)}</span>}
    </header>
  )
}

interface ChangeProps {
  environment: Environment
  change: Change
}

function ChangeView({ environment, change: { name, before, after } }: ChangeProps): ReactNode {
  const [isOpen, setIsOpen] = useState(false)
  const [isDeploying, setIsDeploying] = useState(false)
  const shown = visible(name)
  const kind = after?.kind
  return (
    <div role="group" aria-label={shown}>
      <div className={styles.change}>
        <span>
          {shown}: {before ? `v${before.version} → ` : ''}
          {after ? `v${after.version}` : 'no longer deployed'}
        </span>
        {after && kind && (
          <>
            <Button aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
              What changed
            </Button>
            <Button onClick={() => setIsDeploying(true)}>Deploy v{after.version} again …</Button>
          </>
        )}
      </div>
      {isOpen && after && kind && <Difference kind={kind} name={shown} before={before?.id} after={after.id} />}
      {isDeploying && after && kind && (
        <Redeployed kind={kind} id={after.id} environment={environment} onClose={() => setIsDeploying(false)} />
      )}
    </div>
  )
}

interface DifferenceProps {
  kind: Kind
  name: string
  before: string | undefined
  after: string
}

function Difference({ kind, name, before, after }: DifferenceProps): ReactNode {
  const old = useQuery({ ...revisionQuery(kind, before ?? ''), enabled: before !== undefined })
  const next = useQuery(revisionQuery(kind, after))
  const error = old.error ?? next.error
  if (error) return <Failure what="The revisions cannot be read." error={error} />
  if (next.data === undefined || (before !== undefined && old.data === undefined)) return <Waiting />
  if (next.data === null) return <p>The revision does not exist any more.</p>
  return (
    <Diff
      label={`Change of ${name}`}
      before={old.data ? readable(configurationOf(old.data)) : ''}
      after={readable(configurationOf(next.data))}
    />
  )
}

interface RedeployedProps {
  kind: Kind
  id: string
  environment: Environment
  onClose: () => void
}

function Redeployed({ kind, id, environment, onClose }: RedeployedProps): ReactNode {
  const { data: revision, error } = useQuery(revisionQuery(kind, id))
  if (error) return <Failure what="The revision cannot be read." error={error} />
  return revision && <DeployForm kind={kind} revision={revision} environment={environment} onClose={onClose} />
}
