import { queryOptions } from '@tanstack/react-query'
import { api, post } from '../client.ts'

/** The kinds of versioned entities that have a list. */
export type Listed = 'application' | 'evaluator' | 'testset'

/** What a list shows of an artifact. */
export interface Artifact {
  id: string
  slug: string
  name?: string
  created_at: string
  updated_at?: string
  /** Set while it is archived. */
  deleted_at?: string | null
}

/** The archived artifacts of a kind. */
export const archivedQuery = (kind: Listed) =>
  queryOptions({
    queryKey: ['archived', kind],
    queryFn: async ({ signal }) => {
      const body = { include_archived: true }
      const answer = await post<Record<string, Artifact[]>>(`/${kind}s/query`, body, signal)
      return answer[`${kind}s`]?.filter(({ deleted_at }) => Boolean(deleted_at)) ?? []
    },
  })

export const renameArtifact = (kind: Listed, id: string, name: string): Promise<unknown> =>
  api(`/${kind}s/${id}`, { method: 'PUT', body: { [kind]: { id, name } } })

/** Archived artifacts are in no list, and their revisions stay readable. */
export const archiveArtifact = (kind: Listed, id: string): Promise<unknown> =>
  api(`/${kind}s/${id}/archive`, { method: 'POST' })

export const restoreArtifact = (kind: Listed, id: string): Promise<unknown> =>
  api(`/${kind}s/${id}/unarchive`, { method: 'POST' })
