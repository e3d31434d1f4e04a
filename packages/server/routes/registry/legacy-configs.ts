import { type JsonObject, Problem } from '@spanhouse/model'
import {
  asKind,
  findRevision,
  findRow,
  KINDS,
  type Reference,
  type References,
  type Retrieved,
  type RevisionRow,
  resolveRevision,
  retrieveRevision,
  type Scope,
} from '@spanhouse/registry'
import { jsonObject, looseReference, optional, z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { addEndpoint } from '../../http/endpoint.ts'
import { type Registry, scopeOf } from './endpoint.ts'

/** The environment used if none is named. */
const USUAL_ENVIRONMENT = 'production'

const answer = z.object({
  params: jsonObject,
  url: z.string().nullable(),
  application_ref: jsonObject,
  service_ref: z.null(),
  variant_ref: jsonObject,
  environment_ref: jsonObject.nullable(),
  application_lifecycle: jsonObject,
  service_lifecycle: z.null(),
  variant_lifecycle: jsonObject,
  environment_lifecycle: jsonObject.nullable(),
})

interface Wanted {
  variant_ref?: Reference
  environment_ref?: Reference
  application_ref?: Reference
}

/** How older clients read an application's configuration: of a variant, or as deployed to an environment. */
export function legacyConfigRoutes(registry: Registry): (app: FastifyInstance) => void {
  return app =>
    addEndpoint(app, {
      method: 'POST',
      path: '/variants/configs/fetch',
      tag: 'applications',
      permission: 'view_applications',
      summary: 'Fetches the configuration of an application; retrieve a revision instead.',
      deprecated: true,
      body: z.object({
        variant_ref: optional(looseReference),
        environment_ref: optional(looseReference),
        application_ref: optional(looseReference),
      }),
      answer,
      handle: async ({ principal, body, holder }) => {
        const scope = scopeOf(registry, 'application', { principal, holder })
        const found = await (isEmpty(body.variant_ref) ? ofEnvironment(scope, body) : ofVariant(scope, body))
        if (!found) throw notFound()
        return configOf(scope, found, body)
      },
    })
}

/** Clients also send references without members, or with nulls only. */
const isEmpty = (reference: Reference = {}): boolean => Object.values(reference).every(member => member === undefined)

const notFound = (): Problem => new Problem('not_found', 'The configuration does not exist.')

/** The id may be a revision's or a variant's. */
async function ofVariant(scope: Scope, { application_ref, variant_ref = {} }: Wanted): Promise<Retrieved | undefined> {
  const { version, ...variant } = variant_ref
  const exact = variant.id === undefined ? undefined : await findRow(scope, 'revision', variant.id)
  const row = exact ?? (await findNamed(scope, { variant, revision: version === undefined ? undefined : { version } }))
  return row && isOf(application_ref, row) ? { row } : undefined
}

const findNamed = async (scope: Scope, references: References): Promise<RevisionRow | undefined> =>
  references.variant?.id === undefined && references.variant?.slug === undefined
    ? undefined
    : findRevision(scope, references)

const isOf = ({ id, slug }: Reference = {}, row: RevisionRow): boolean =>
  (id === undefined || id === row.artifact_id) && (slug === undefined || slug === row.artifact_slug)

async function ofEnvironment(
  scope: Scope,
  { application_ref, environment_ref }: Wanted,
): Promise<Retrieved | undefined> {
  const slug = await slugOf(scope, application_ref)
  if (slug === undefined) return undefined
  const environment = await environmentReferences(scope, environment_ref)
  return retrieveRevision(scope, { references: {}, environment, key: `${slug}.revision` })
}

async function slugOf(scope: Scope, { id, slug }: Reference = {}): Promise<string | undefined> {
  return id === undefined ? slug : (await findRow(scope, 'artifact', id))?.slug
}

/** The id may be the environment's or that of one of its revisions. */
async function environmentReferences(scope: Scope, wanted: Reference = {}): Promise<References> {
  const { id, slug = USUAL_ENVIRONMENT, version } = wanted
  const revision = version === undefined ? undefined : { version }
  if (id === undefined) return { artifact: { slug }, revision }
  const row = await findRow(asKind(scope, KINDS.environment), 'revision', id)
  return row ? { revision: { id } } : { artifact: { id }, revision }
}

/** Members without a value are null in this response instead of omitted. */
async function configOf(scope: Scope, found: Retrieved, { environment_ref }: Wanted): Promise<JsonObject> {
  const { row } = await resolveRevision(scope, found.row)
  const data = row.data && scope.kind.content.show(row.data, scope)
  const application = await findRow(scope, 'artifact', row.artifact_id)
  const variant = await findRow(scope, 'variant', row.variant_id)
  const { environment } = found
  return {
    params: data?.parameters ?? {},
    url: data?.url ?? null,
    application_ref: referenceTo(row.artifact_id, row.artifact_slug),
    service_ref: null,
    variant_ref: referenceTo(row.variant_id, row.variant_slug, row),
    environment_ref: environment
      ? referenceTo(environment.id, environment_ref?.slug ?? environment.artifact_slug, environment)
      : null,
    application_lifecycle: lifecycleOf(application ?? row),
    service_lifecycle: null,
    variant_lifecycle: lifecycleOf(variant ?? row),
    environment_lifecycle: environment ? lifecycleOf(environment) : null,
  }
}

const referenceTo = (id: string, slug: string, revision?: RevisionRow): JsonObject => ({
  slug,
  version: revision?.version ?? null,
  commit_message: revision?.message ?? null,
  id,
})

const lifecycleOf = (row: Pick<RevisionRow, 'created_at' | 'updated_at' | 'updated_by_id'>): JsonObject => ({
  created_at: row.created_at,
  updated_at: row.updated_at,
  updated_by_id: row.updated_by_id,
  updated_by: null,
})
