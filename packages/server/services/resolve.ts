import { type ProjectPrincipal, requirePermission } from '@spanhouse/access'
import { isJsonObject, type JsonObject, Problem, type Uuid } from '@spanhouse/model'
import {
  asKind,
  embedLoader,
  hasReference,
  KINDS,
  type KindName,
  layersOf,
  type Reference,
  type References,
  type Retrieved,
  resolveEmbeds,
  retrievalInfo,
  retrieveRevision,
  type Scope,
} from '@spanhouse/registry'
import { RunError, UNKNOWN_ERROR } from '@spanhouse/runtime'
import { type Registry, scopeOf } from '../routes/registry/endpoint.ts'

/** The families whose references can identify a revision to run; a request may use at most one. */
const FAMILIES = ['workflow', 'application', 'evaluator'] as const satisfies readonly KindName[]
type Family = (typeof FAMILIES)[number]

/** The references of a request, by key. */
export type NamedReferences = Readonly<Record<string, Reference | undefined>>

export interface Resolving {
  registry: Registry
  principal: ProjectPrincipal
}

/** The revision that references identify: its data as clients see it, and all references used to find it. */
export interface Resolved {
  id: Uuid
  data: JsonObject
  references: JsonObject
  selector?: JsonObject
}

/**
 * Finds the revision that a request's references identify, in the caller's project (contract of the runtime, section
 * 8.5); undefined if no family that can run is referenced. Throws a {@link RunError}: 400 for references that
 * contradict each other, 404 that names those without a revision; a Problem `forbidden` if the caller may not view it.
 */
export async function resolveReferences(
  { registry, principal }: Resolving,
  named: NamedReferences,
  key: string | undefined,
): Promise<Resolved | undefined> {
  const populated = FAMILIES.filter(family => Object.values(layersOf(named, family)).some(isNamed))
  const [family = 'workflow', other] = populated
  if (other)
    throw new RunError(400, 'v0:schemas:invalid-input', `references: ${family} and ${other} cannot be combined`)
  const environment = layersOf(named, 'environment')
  const isDeployed = Object.values(environment).some(isNamed)
  if (populated.length === 0 && !isDeployed) return undefined
  if (populated.length === 0 && key === undefined)
    throw new RunError(400, 'v0:schemas:missing-input', 'references: an environment alone needs a selector.key')
  requirePermission(principal, KINDS[family].permissions.view)
  if (isDeployed) requirePermission(principal, KINDS.environment.permissions.view)
  const scope = scopeOf(registry, family, { principal })
  const found = await retrieve(scope, {
    references: layersOf(named, family),
    environment,
    key: isDeployed ? key : undefined,
  })
  if (!found) throw unknown(named, populated[0], isDeployed)
  return resolved(found.scope, found.revision)
}

interface Query {
  references: References
  environment: References
  key: string | undefined
}

/**
 * A revision may have been deployed through another family than the one that the caller names; all are tried.
 */
async function retrieve(scope: Scope, query: Query): Promise<{ scope: Scope; revision: Retrieved } | undefined> {
  const revision = await retrieveRevision(scope, query).catch(asAbsent)
  if (revision) return { scope, revision }
  if (!hasReference(KINDS.environment, query.environment)) return undefined
  const slug = query.references.artifact?.slug
  const key = query.key ?? (slug === undefined ? undefined : `${slug}.revision`)
  if (key === undefined) return undefined
  for (const family of FAMILIES) {
    const other = asKind(scope, KINDS[family])
    const deployed = await retrieveRevision(other, { ...query, key }).catch(asAbsent)
    if (deployed) return { scope: other, revision: deployed }
  }
  return undefined
}

function asAbsent(error: unknown): undefined {
  if (!(error instanceof Problem && error.code === 'not_found')) throw error
}

function resolved({ kind, ...scope }: Scope, found: Retrieved): Resolved {
  const { references, selector } = retrievalInfo(kind, found)
  const data = found.row.data && kind.content.show(found.row.data, { ...scope, kind })
  return {
    id: found.row.id,
    data: data ?? {},
    references: references as JsonObject,
    ...(isJsonObject(selector) && { selector }),
  }
}

function unknown(named: NamedReferences, family: Family | undefined, isDeployed: boolean): RunError {
  const wanted = Object.entries(named).filter(
    ([name, one]) =>
      isNamed(one) && ((family && name.startsWith(family)) || (isDeployed && name.startsWith('environment'))),
  )
  const shown = wanted.map(([name, one]) => `${name} ${shownReference(one as Reference)}`).join(', ')
  const message = `The references lead to no revision of this project: ${shown}.`
  return new RunError(404, UNKNOWN_ERROR, message, { details: { path: `references.${wanted.map(([name]) => name)}` } })
}

const shownReference = ({ id, slug, version }: Reference): string =>
  [id ?? slug ?? '', version === undefined ? '' : `version ${version}`].filter(Boolean).join(' ')

const isNamed = (reference: Reference | undefined): boolean =>
  reference !== undefined && Object.values(reference).some(value => value !== undefined)

/**
 * Replaces all embeds in the data, in either form; `self` is the revision that the data belongs to. Throws a Problem:
 * 404 if an embedded revision is missing, 400 for any other mistake.
 */
export async function withoutEmbeds(
  { registry, principal }: Resolving,
  data: JsonObject,
  self: Uuid | undefined,
): Promise<JsonObject> {
  const scope = scopeOf(registry, 'workflow', { principal })
  return (await resolveEmbeds(data, embedLoader(scope), { self })).data
}
