import type { ProjectPrincipal } from '@spanhouse/access'
import { invalid, isJsonObject, type Json, type JsonObject, Problem, type Uuid } from '@spanhouse/model'
import {
  ensureRecord,
  type References,
  type ResolvedRevision,
  resolveReferences,
  retrieveRevision,
  type Scope,
} from '@spanhouse/registry'
import { validateAgainst } from '@spanhouse/runtime'
import { type Registry, scopeOf } from '../routes/registry/endpoint.ts'
import type { GivenReferences, RecordReferences } from './bodies.ts'
import { schemaOf } from './feedback-schema.ts'

type Producer = 'evaluator' | 'application'

/** What a new record says of its producer. */
export interface Claim {
  references: GivenReferences
  data: JsonObject
}

/**
 * The evaluator whose feedback this is; made, with a schema that the data satisfies, when it is not there. Throws a Problem
 * `invalid` on references that contradict each other.
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
  return ensureRecord(scope, {
    slug: keys.evaluator?.slug,
    data: { uri, schemas: { outputs: schemaOf(data) } },
  })
}

/**
 * The application that was invoked, named itself or by where it is deployed; made, holding nothing, when it is not there.
 * Throws a Problem `invalid` on references that contradict each other or lead nowhere.
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
    return ensureRecord(scope, { slug: keys.application?.slug })
  }
  const key = typeof selector?.key === 'string' ? selector.key : undefined
  const deployed = await retrieveRevision(scope, { references: named, environment, key }).catch(asInvalid)
  const found = deployed && (await resolveReferences(scope, { revision: { id: deployed.row.id } }))
  if (!found) throw invalid('The environment has no application in this place.')
  return found
}

/** Records are not looked up by their path, so what they refer to is a matter of the body. */
function asInvalid(error: unknown): never {
  throw error instanceof Problem && error.code === 'not_found' ? invalid(error.message) : error
}

/** What is unknown is made, but not a revision of something that is there: the record would name another one. */
async function refuseUnknownRevision(scope: Scope, { artifact, variant, revision }: References): Promise<void> {
  if (!artifact || !(variant || revision)) return
  if (await resolveReferences(scope, { artifact })) throw invalid('There is no such variant or revision of it.')
}

const layersOf = (references: RecordReferences, name: string): References => ({
  artifact: references[name],
  variant: references[`${name}_variant`],
  revision: references[`${name}_revision`],
})

/** The references with the producer's three layers in full. */
export const withProducer = (
  references: RecordReferences,
  name: Producer,
  found: ResolvedRevision,
): RecordReferences => ({
  ...references,
  [name]: found.artifact,
  [`${name}_variant`]: found.variant,
  [`${name}_revision`]: found.revision,
})

/** Throws a Problem `unprocessable` when the evaluator's outputs have a schema and the data is not as it says. */
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
