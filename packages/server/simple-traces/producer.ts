import type { ProjectPrincipal } from '@spanhouse/access'
import { invalid, isJsonObject, type Json, type JsonObject, Problem, type Uuid } from '@spanhouse/model'
import {
  ensureRevision,
  layersOf,
  type References,
  type ResolvedRevision,
  resolveReferences,
  retrieveRevision,
  type Scope,
} from '@spanhouse/registry'
import { validateAgainst } from '@spanhouse/runtime'
import { type Registry, scopeOf } from '../routes/registry/endpoint.ts'
import type { GivenReferences, SimpleTraceReferences } from './bodies.ts'
import { schemaOf } from './feedback-schema.ts'

type Producer = 'evaluator' | 'application'

/** What a new simple trace states about its producer. */
export interface Claim {
  references: GivenReferences
  data: JsonObject
}

/**
 * The evaluator that the feedback is for; created, with a schema that the data satisfies, if it does not exist. Throws
 * a Problem `invalid` on references that contradict each other.
 */
export async function evaluatorOf(
  registry: Registry,
  principal: ProjectPrincipal,
  { references: { keys }, data }: Claim,
): Promise<ResolvedRevision> {
  const scope = scopeOf(registry, 'evaluator', { principal })
  const found = await resolveReferences(scope, layersOf(keys, 'evaluator'))
  if (found) return found
  await refuseUnknownRevision(scope, layersOf(keys, 'evaluator'))
  const uri = `${registry.runtime.uriPrefix}:custom:feedback:v0`
  return ensureRevision(scope, {
    slug: keys.evaluator?.slug,
    data: { uri, schemas: { outputs: schemaOf(data) } },
  })
}

/**
 * The application that was invoked, referenced directly or through its deployment; created without data if it does not
 * exist. Throws a Problem `invalid` on references that contradict each other or identify nothing.
 */
export async function applicationOf(
  registry: Registry,
  principal: ProjectPrincipal,
  { references: { keys, selector } }: Claim,
): Promise<ResolvedRevision> {
  const scope = scopeOf(registry, 'application', { principal })
  const environment = layersOf(keys, 'environment')
  const named = layersOf(keys, 'application')
  if (!Object.values(environment).some(Boolean)) {
    const found = await resolveReferences(scope, named)
    if (found) return found
    await refuseUnknownRevision(scope, named)
    return ensureRevision(scope, { slug: keys.application?.slug })
  }
  const key = typeof selector?.key === 'string' ? selector.key : undefined
  const deployed = await retrieveRevision(scope, { references: named, environment, key }).catch(asInvalid)
  const found = deployed && (await resolveReferences(scope, { revision: { id: deployed.row.id } }))
  if (!found) throw invalid('The environment has no application for this reference.')
  return found
}

/** The references are in the body, so an unknown one is a 400 instead of a 404. */
function asInvalid(error: unknown): never {
  throw error instanceof Problem && error.code === 'not_found' ? invalid(error.message) : error
}

/**
 * An unknown producer is created, but not a missing revision of an existing one: the trace would refer to another
 * revision.
 */
async function refuseUnknownRevision(scope: Scope, { artifact, variant, revision }: References): Promise<void> {
  if (!artifact || !(variant || revision)) return
  if (await resolveReferences(scope, { artifact }))
    throw invalid('The application or evaluator has no such variant or revision.')
}

/** The references with the producer's three layers in full. */
export const withProducer = (
  references: SimpleTraceReferences,
  name: Producer,
  found: ResolvedRevision,
): SimpleTraceReferences => ({
  ...references,
  [name]: found.artifact,
  [`${name}_variant`]: found.variant,
  [`${name}_revision`]: found.revision,
})

/** Throws a Problem `unprocessable` if the evaluator has a schema for its outputs and the data violates it. */
export async function requireOutputs(
  { data: revision }: ResolvedRevision,
  data: Json,
  project_id: Uuid,
): Promise<void> {
  const schemas = revision?.schemas
  const outputs = isJsonObject(schemas) ? schemas.outputs : undefined
  if (outputs === undefined || outputs === null) return
  const violations = await validateAgainst(outputs, data, project_id)
  if (violations.length === 0) return
  throw new Problem(
    'unprocessable',
    violations.map(one => ({ ...one, loc: ['body', 'annotation', 'data', ...one.loc] })),
  )
}
