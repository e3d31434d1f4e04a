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
export async function saveQuery({ name, ...filter }: NewQuery): Promise<SavedQuery> {
  const query = { slug: `${slugOf(name)}-${randomHex(4)}`, name, data: dataOf(filter) }
  return (await post<{ query: SavedQuery }>('/simple/queries/', { query })).query
}

/** Stores a filter as the next revision of a saved one. */
export const replaceQuery = (id: string, filter: Omit<NewQuery, 'name'>): Promise<unknown> =>
  api(`/simple/queries/${id}`, { method: 'PUT', body: { query: { id, data: dataOf(filter) } } })

const dataOf = ({ focus, filtering, rate }: Omit<NewQuery, 'name'>): object => ({
  filtering,
  formatting: { focus },
  ...(rate !== undefined && { windowing: { rate } }),
})

/** What a saved filter is called. */
export const nameOf = ({ name, slug }: SavedQuery): string => name ?? slug

/** The saved filter with a name, in whatever case. */
export const namedQuery = (queries: readonly SavedQuery[], name: string): SavedQuery | undefined =>
  queries.find(query => nameOf(query).trim().toLowerCase() === name.trim().toLowerCase())

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

/** Takes a filter out of the list. Evaluations that use it continue. */
export const archiveQuery = (id: string): Promise<unknown> => api(`/queries/${id}/archive`, { method: 'POST' })
