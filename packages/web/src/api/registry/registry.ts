import { queryOptions } from '@tanstack/react-query'
import { ApiError } from '../api-error.ts'
import { api, apiById, post } from '../client.ts'
import { isExactInteger } from '../exact-json.ts'

export type Json = null | boolean | number | string | Json[] | JsonObject
export interface JsonObject {
  [name: string]: Json
}

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !isExactInteger(value)

/** The versioned entities that can be run. */
export const KINDS = ['application', 'evaluator'] as const
export type Kind = (typeof KINDS)[number]

/** The permission to change those of a kind. */
export const EDIT = { application: 'edit_application', evaluator: 'edit_evaluators' } as const

/** What people write in a revision, besides the choice of its handler. */
export interface Configuration {
  /** The address of a hook, or of a service that is not this server's. */
  url?: string
  headers?: JsonObject
  /** The language of the script: `python` if it is not set. */
  runtime?: string
  /** The code that the handler `code` runs. */
  script?: string
  parameters?: JsonObject
}

/** What a revision runs. */
export interface WorkflowData extends Configuration {
  uri?: string
  schemas?: { parameters?: JsonObject; inputs?: JsonObject; outputs?: JsonObject }
}

/** An artifact with its newest data. */
export interface Workflow {
  id: string
  slug: string
  name?: string
  description?: string
  flags?: Readonly<Record<string, boolean>>
  revision_id?: string
  data?: WorkflowData
  created_at: string
  updated_at?: string
  /** Set while it is archived. */
  deleted_at?: string | null
}

export interface Variant {
  id: string
  slug: string
  name?: string
}

export interface Revision {
  id: string
  slug: string
  version: string
  message?: string
  date: string
  artifact_id: string
  artifact_slug: string
  variant_id: string
  variant_slug: string
  flags?: Readonly<Record<string, boolean>>
  data?: WorkflowData
}

export interface Template {
  key: string
  name: string
  description: string
  data: WorkflowData
  presets?: Template[]
}

/** How many revisions of an artifact can be chosen from; older ones are opened by their address. */
const REVISIONS_MAX = 200

export const workflowsQuery = (kind: Kind) =>
  queryOptions({
    queryKey: ['workflows', kind],
    queryFn: async ({ signal }) =>
      (await post<Record<string, Workflow[] | undefined>>(`/simple/${kind}s/query`, {}, signal))[`${kind}s`] ?? [],
  })

export const workflowQuery = (kind: Kind, id: string) =>
  queryOptions({
    queryKey: ['workflow', kind, id],
    queryFn: async ({ signal }) =>
      (await apiById<Record<string, Workflow | undefined>>(`/simple/${kind}s/${encodeURIComponent(id)}`, { signal }))?.[
        kind
      ] ?? null,
  })

/** The revisions of an artifact that have data, newest first. Those of an archived one are asked for by saying so. */
export const revisionsQuery = (kind: Kind, id: string, include_archived: boolean) =>
  queryOptions({
    queryKey: ['revisions', kind, id, include_archived],
    queryFn: async ({ signal }) => {
      const body = { [`${kind}_refs`]: [{ id }], include_archived, windowing: { limit: REVISIONS_MAX } }
      const asked = { method: 'POST', body, signal, isExact: true } as const
      const answer = await apiById<Record<string, Revision[] | undefined>>(`/${kind}s/revisions/query`, asked)
      return (answer?.[`${kind}_revisions`] ?? []).filter(({ data }) => data !== undefined)
    },
    structuralSharing: false,
  })

export const templatesQuery = (kind: Kind) =>
  queryOptions({
    queryKey: ['templates', kind],
    queryFn: async ({ signal }) =>
      (await api<{ templates: Template[] }>(`/${kind}s/catalog/templates/`, { signal })).templates,
    staleTime: Number.POSITIVE_INFINITY,
  })

export const presetsQuery = (kind: Kind, template: string) =>
  queryOptions({
    queryKey: ['presets', kind, template],
    queryFn: async ({ signal }) =>
      (await api<{ presets?: Template[] }>(`/${kind}s/catalog/templates/${template}/presets/`, { signal })).presets ??
      [],
    staleTime: Number.POSITIVE_INFINITY,
  })

interface NewWorkflow {
  slug: string
  name: string
  data: WorkflowData
}

/** Creates an artifact with a variant and a first revision. */
export async function createWorkflow(kind: Kind, workflow: NewWorkflow): Promise<Workflow> {
  const body = { [kind]: { ...workflow, flags: { [`is_${kind}`]: true } } }
  return (await post<Record<string, Workflow>>(`/simple/${kind}s/`, body))[kind] as Workflow
}

/**
 * The configuration of a revision. The addresses of this server's own handlers follow from the handler and are left
 * out.
 */
export function configurationOf({ data = {}, flags }: Pick<Revision, 'data' | 'flags'>): Configuration {
  const { uri: _uri, schemas: _schemas, url, ...own } = data
  const isHosted = flags?.is_managed === true && flags.is_hook !== true
  return url === undefined || isHosted ? own : { url, ...own }
}

/** The members in which two configurations differ. */
export const changesBetween = (before: Configuration, after: Configuration): (keyof Configuration)[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)] as (keyof Configuration)[])].filter(
    name => JSON.stringify(before[name]) !== JSON.stringify(after[name]),
  )

interface Commit {
  /** What the draft began with: the server rejects the commit if another user has committed since. */
  base: Revision
  configuration: Configuration
  message: string
}

/**
 * Commits a changed configuration to the variant of a revision; the handler and the schemas stay. Throws if the variant
 * has a newer revision.
 */
export async function commitConfiguration(kind: Kind, { base, configuration, message }: Commit): Promise<Revision> {
  const operations = changesBetween(configurationOf(base), configuration).map(name => {
    const value = configuration[name]
    return { operation: value === undefined ? 'remove' : 'set', target: [name], value }
  })
  const commit = { [`${kind}_variant_id`]: base.variant_id, base_revision_id: base.id, message, delta: { operations } }
  const body = { [`${kind}_revision_commit`]: commit }
  const answer = await post<Record<string, Revision>>(`/${kind}s/revisions/commit`, body).catch(error => {
    if (error instanceof ApiError && error.status === 409)
      throw new Error(
        `v${base.version} is not the newest revision of its variant. Save it as a new variant, or change the newest one.`,
      )
    throw error
  })
  return answer[`${kind}_revision`] as Revision
}

/** Creates a variant that begins with the history of a revision. Returns the newest revision of the new variant. */
export async function forkVariant(kind: Kind, from: Revision, name: string): Promise<Revision> {
  const slug = `${slugOf(name)}-${randomHex(6)}`
  const forked = await post<Record<string, Variant>>(`/${kind}s/variants/fork`, {
    [`${kind}_variant`]: { slug, name },
    [`${kind}_variant_ref`]: { id: from.variant_id },
    [`${kind}_revision_ref`]: { id: from.id },
  })
  const { id } = forked[`${kind}_variant`] as Variant
  const asked = { method: 'POST', body: { [`${kind}_variant_ref`]: { id } }, isExact: true } as const
  const head = await api<Record<string, Revision>>(`/${kind}s/revisions/retrieve`, asked)
  return head[`${kind}_revision`] as Revision
}

export interface Environment {
  id: string
  slug: string
  name?: string
  flags?: { is_guarded?: boolean }
}

/** The oldest first: the one where people try things comes before those that others depend on. */
export const environmentsQuery = queryOptions({
  queryKey: ['environments'],
  queryFn: async ({ signal }) =>
    (await post<{ environments: Environment[] }>('/simple/environments/query', {}, signal)).environments.toReversed(),
})

/** What is deployed of an artifact; null if nothing is. */
export const deployedQuery = (kind: Kind, artifact_id: string, environment_id: string) =>
  queryOptions({
    queryKey: ['deployed', kind, artifact_id, environment_id],
    queryFn: async ({ signal }) => {
      const body = { [`${kind}_ref`]: { id: artifact_id }, environment_ref: { id: environment_id } }
      const asked = { method: 'POST', body, signal, isExact: true } as const
      const answer = await api<Record<string, Revision | undefined>>(`/${kind}s/revisions/retrieve`, asked).catch(
        (error: { status?: number }) => {
          if (error.status === 404) return {} as Record<string, undefined>
          throw error
        },
      )
      return answer[`${kind}_revision`] ?? null
    },
    structuralSharing: false,
  })

interface Deployment {
  revision_id: string
  environment_id: string
  message: string
}

export const deploy = (kind: Kind, { revision_id, environment_id, message }: Deployment): Promise<unknown> =>
  post(`/${kind}s/revisions/deploy`, {
    [`${kind}_revision_ref`]: { id: revision_id },
    environment_ref: { id: environment_id },
    message,
  })

/** A slug with the letters and digits of a name. */
export const slugOf = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(Boolean)
    .join('-')
    .slice(0, 80) || randomHex(12)

export const randomHex = (length: number): string =>
  [...crypto.getRandomValues(new Uint8Array(length))].map(byte => (byte % 16).toString(16)).join('')
