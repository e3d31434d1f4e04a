import { infiniteQueryOptions } from '@tanstack/react-query'
import { post } from '../client.ts'
import { KINDS, type Kind } from './registry.ts'

interface Reference {
  id?: string
  version?: string
}

/** A deployment: what an environment contained from then on. */
export interface EnvironmentRevision {
  id: string
  version: string
  message?: string
  author?: string
  date: string
  data?: { references?: Readonly<Record<string, Readonly<Record<string, Reference>>>> }
}

interface Page {
  environment_revisions: EnvironmentRevision[]
  windowing?: object
}

/** What is asked for again after a deployment. */
export const DEPLOYED = ['deployed', 'environment history']

const PER_PAGE = 50

/** The deployments to an environment, newest first. */
export const environmentHistoryQuery = (id: string) =>
  infiniteQueryOptions({
    queryKey: ['environment history', id],
    initialPageParam: { limit: PER_PAGE } as object,
    queryFn: ({ pageParam: windowing, signal }) =>
      post<Page>('/environments/revisions/query', { environment_refs: [{ id }], windowing }, signal),
    getNextPageParam: ({ windowing, environment_revisions }: Page) =>
      environment_revisions.length > 0 ? windowing : undefined,
  })

/** A revision that runs in an environment. */
export interface Deployed {
  id: string
  version: string
  /** Undefined for what is deployed in another way than this page does. */
  kind: Kind | undefined
}

/** What a deployment has put in the place of what. */
export interface Change {
  name: string
  before: Deployed | undefined
  after: Deployed | undefined
}

/** What differs in an environment after a deployment from what there was before it. */
export function changesOf(after: EnvironmentRevision, before: EnvironmentRevision | undefined): Change[] {
  const [now, then] = [after.data?.references ?? {}, before?.data?.references ?? {}]
  const keys = [...new Set([...Object.keys(now), ...Object.keys(then)])]
  return keys
    .map(key => ({
      name: key.replace(/\.revision$/, ''),
      before: deployedIn(then[key]),
      after: deployedIn(now[key]),
    }))
    .filter(change => change.before?.id !== change.after?.id)
}

function deployedIn(references: Readonly<Record<string, Reference>> = {}): Deployed | undefined {
  const [key, revision] = Object.entries(references).find(([name]) => name.endsWith('_revision')) ?? []
  if (revision?.id === undefined) return undefined
  const kind = KINDS.find(one => key === `${one}_revision`)
  return { id: revision.id, version: revision.version ?? '?', kind }
}
