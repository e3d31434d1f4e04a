import { queryOptions } from '@tanstack/react-query'
import { api, post } from './client.ts'
import type { Focus, Group } from './filtering.ts'
import { randomHex, slugOf } from './registry/registry.ts'

/** A filter that the project keeps, with revisions like everything in the registry. */
export interface SavedQuery {
  id: string
  slug: string
  name?: string
  revision_id?: string
  data?: { filtering?: Group; formatting?: { focus?: Focus }; windowing?: { rate?: number } }
}

export const savedQueriesQuery = queryOptions({
  queryKey: ['saved queries'],
  queryFn: async ({ signal }) => {
    const asked = { method: 'POST', body: {}, signal, isExact: true } as const
    return (await api<{ queries: SavedQuery[] }>('/simple/queries/query', asked)).queries
  },
  structuralSharing: false,
})

interface NewQuery {
  name: string
  focus: Focus
  filtering: Group
  /** The share of the traces that a live evaluation takes. */
  rate?: number
}

/** Stores a filter under a name. */
export async function saveQuery({ name, focus, filtering, rate }: NewQuery): Promise<SavedQuery> {
  const windowing = rate === undefined ? {} : { windowing: { rate } }
  const data = { filtering, formatting: { focus }, ...windowing }
  const query = { slug: `${slugOf(name)}-${randomHex(4)}`, name, data }
  return (await post<{ query: SavedQuery }>('/simple/queries/', { query })).query
}

/** What a revision of a saved filter says; null if there is none. Revisions never change. */
export const queryRevisionQuery = (id: string) =>
  queryOptions({
    queryKey: ['query revision', id],
    queryFn: async ({ signal }) => {
      const asked = { signal, isExact: true }
      const answer = await api<{ query_revision?: Pick<SavedQuery, 'data'> }>(`/queries/revisions/${id}`, asked)
      return answer.query_revision?.data ?? null
    },
    staleTime: Number.POSITIVE_INFINITY,
    structuralSharing: false,
  })

/** Takes a filter out of the list. Evaluations that use it go on. */
export const archiveQuery = (id: string): Promise<unknown> => api(`/queries/${id}/archive`, { method: 'POST' })
