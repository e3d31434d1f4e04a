import { queryOptions, useQuery } from '@tanstack/react-query'
import { api } from './client.ts'
import { projectQuery } from './queries.ts'

interface Roles {
  project: readonly { role: string; permissions: readonly string[] }[]
}

const rolesQuery = queryOptions({
  queryKey: ['roles'],
  queryFn: ({ signal }) => api<Roles>('/access/roles', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
})

/** What owners have instead of a list. */
const ALL = '*'

/**
 * Why the caller may not do something, as a sentence; undefined if they may, and while that is not known yet: the
 * server decides in any case.
 */
export function useRefusal(permission: string): string | undefined {
  const project = useQuery(projectQuery).data
  const roles = useQuery(rolesQuery).data
  if (project === undefined || roles === undefined) return undefined
  const held = roles.project.find(({ role }) => role === project.user_role)
  if (held?.permissions.some(one => one === permission || one === ALL)) return undefined
  return `Your role in this project, ${project.user_role ?? 'none'}, does not have the permission ${permission}.`
}
