import { queryOptions } from '@tanstack/react-query'
import { api, post } from './client.ts'
import type { Focus, Group } from './filtering.ts'
import { randomHex, slugOf } from './registry.ts'

/** A filter that the project keeps, with revisions like everything in the registry. */
export interface SavedQuery {
  id: string
  slug: string
  name?: string
  revision_id?: string
  data?: { filtering?: Group; formatting?: { focus?: Focus }; windowing?: object }
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
}

/** Stores a filter under a name. */
export async function saveQuery({ name, focus, filtering }: NewQuery): Promise<SavedQuery> {
  const query = { slug: `${slugOf(name)}-${randomHex(4)}`, name, data: { filtering, formatting: { focus } } }
  return (await post<{ query: SavedQuery }>('/simple/queries/', { query })).query
}

/** Takes a filter out of the list. Evaluations that use it go on. */
export const archiveQuery = (id: string): Promise<unknown> => api(`/queries/${id}/archive`, { method: 'POST' })
