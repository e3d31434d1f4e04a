import { queryOptions, type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query'
import { api, post } from './client.ts'

export interface Secret {
  id: string
  slug?: string
  kind: 'provider_key' | 'custom_provider' | 'sso_provider' | 'webhook_provider' | 'custom_secret'
  header: { name?: string; description?: string }
  data: { kind?: string; provider?: { url?: string }; models?: { slug: string }[]; model_keys?: string[] }
  lifecycle: { created_at: string; updated_at?: string }
}

export const secretsQuery = queryOptions({
  queryKey: ['secrets'],
  queryFn: ({ signal }) => api<Secret[]>('/secrets/', { signal }),
})

export interface ApiKey {
  prefix: string
  created_at: string
  last_used_at: string | null
  expiration_date: string | null
}

export const keysQuery = queryOptions({
  queryKey: ['keys'],
  queryFn: ({ signal }) => api<ApiKey[]>('/keys', { signal }),
})

export interface Member {
  user: { id: string; email: string; username: string; created_at: string }
  roles: { role_name: string; role_description: string }[]
}

export interface Organization {
  id: string
  name: string
  owner_id: string
  invitations: { id: string; workspace_id: string; email: string; role: string; expires_at: string }[]
  default_workspace: { id: string; name: string; members: Member[] } | null
}

export const organizationQuery = (id: string | undefined) =>
  queryOptions({
    queryKey: ['organization', id],
    queryFn: ({ signal }) => api<Organization>(`/organizations/${id}`, { signal }),
    enabled: id !== undefined,
  })

interface MemberRole {
  role_name: string
  role_description: string
}

/** From the one with the fewest rights on: each can do what those before it can. */
const ROLES = ['viewer', 'annotator', 'editor', 'developer', 'admin', 'owner']

export const memberRolesQuery = queryOptions({
  queryKey: ['member roles'],
  queryFn: async ({ signal }) =>
    (await api<MemberRole[]>('/workspaces/roles', { signal })).toSorted(
      (one, other) => ROLES.indexOf(one.role_name) - ROLES.indexOf(other.role_name),
    ),
  staleTime: Number.POSITIVE_INFINITY,
})

export const retentionQuery = queryOptions({
  queryKey: ['retention'],
  queryFn: ({ signal }) => api<{ days: number | null }>('/projects/current/retention', { signal }),
})

/** USD per million tokens. */
export interface Price {
  input: number
  output: number
  cached_input?: number
  cache_write?: number
}

export const pricesQuery = queryOptions({
  queryKey: ['prices'],
  queryFn: ({ signal }) => api<{ prices: Record<string, Price> }>('/projects/current/prices', { signal }),
})

export interface Subscription {
  id: string
  name?: string
  flags?: { is_active?: boolean }
  data: { url: string; event_types?: string[]; auth_mode?: 'signature' | 'authorization' }
  secret?: string
  created_at: string
}

export const subscriptionsQuery = queryOptions({
  queryKey: ['subscriptions'],
  queryFn: async ({ signal }) =>
    (
      await api<{ subscriptions: Subscription[] }>('/webhooks/subscriptions/query', {
        method: 'POST',
        body: {},
        signal,
      })
    ).subscriptions,
})

export interface Delivery {
  id: string
  event_id: string
  created_at: string
  updated_at?: string
  status: { code?: string; message?: string; timestamp?: string }
  data?: {
    event_type?: string
    url?: string
    payload?: unknown
    response?: { status_code?: number; body?: string }
    error?: string
  }
}

const DELIVERIES_SHOWN = 50

/** The newest deliveries of a subscription, asked for again while they are shown. */
export const deliveriesQuery = (subscription_id: string) =>
  queryOptions({
    queryKey: ['deliveries', subscription_id],
    queryFn: async ({ signal }) => {
      const body = { delivery: { subscription_id }, windowing: { limit: DELIVERIES_SHOWN } }
      return (await post<{ deliveries: Delivery[] }>('/webhooks/deliveries/query', body, signal)).deliveries
    },
    refetchInterval: 3_000,
  })

/** A change on the server, after which the questions of these names are asked again. */
export function useChange<Input, Answer = unknown>(
  change: (input: Input) => Promise<Answer>,
  ...names: string[]
): UseMutationResult<Answer, Error, Input> {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: change,
    onSuccess: () => Promise.all(names.map(name => queryClient.invalidateQueries({ queryKey: [name] }))),
  })
}
