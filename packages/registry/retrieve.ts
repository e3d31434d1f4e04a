import { invalid, type JsonObject, Problem } from '@spanhouse/model'
import { type RawBuilder, sql } from '@spanhouse/postgres'
import { defaultKey } from './environments/deployed.ts'
import type { Kind, Scope } from './kind.ts'
import { KINDS } from './kinds.ts'
import { layersOf, type Reference, type References } from './references.ts'
import { referencesTo } from './row-json.ts'
import { findRevision, hasReference, requireConsistent } from './rows/find.ts'
import { findRow, type RevisionRow } from './rows/rows.ts'
import { asKind } from './scope.ts'

export interface RetrieveQuery {
  references: References
  /** The environment, and the key in it. The key is derived from the artifact if omitted. */
  environment?: References
  key?: string
}

/** A revision, and how it was found. */
export interface Retrieved {
  row: RevisionRow
  /** Its data is the one entry that was looked up. */
  environment?: RevisionRow
  key?: string
}

/**
 * The revision that references identify, directly or through an environment; undefined if it does not exist. Throws a
 * 400 that names the field if the references are insufficient or contradictory, 404 if the environment, the key in it,
 * or the kind in the entry is missing.
 */
export async function retrieveRevision(scope: Scope, query: RetrieveQuery): Promise<Retrieved | undefined> {
  const { references, environment = {}, key } = query
  const throughEnvironment = scope.kind.deployable && hasReference(KINDS.environment, environment)
  if (throughEnvironment) return retrieveDeployed(scope, { ...query, environment })
  if (scope.kind.deployable && key !== undefined) throw invalid('key requires an environment_ref')
  if (!scope.kind.needsReference && !hasReference(scope.kind, references)) return undefined
  const row = await findRevision(scope, references)
  return row && { row }
}

async function retrieveDeployed(
  scope: Scope,
  { references, environment, key: given }: RetrieveQuery & { environment: References },
): Promise<Retrieved | undefined> {
  const key = given ?? (await derivedKey(scope, references.artifact))
  const place = await findRevision(asKind(scope, KINDS.environment), environment, entryUnder(key))
  if (!place) throw new Problem('not_found', 'The environment does not exist or has no deployments.')
  const deployed = place.data && referencesIn(place.data, scope.kind)
  if (!deployed) throw new Problem('not_found', `The environment has no ${scope.kind.name} under the key ${key}.`)
  const row = await findRevision(scope, deployed)
  if (!row) return undefined
  requireConsistent(scope.kind, references, row)
  return { row, environment: place, key }
}

async function derivedKey(scope: Scope, artifact: Reference | undefined): Promise<string> {
  const { name } = scope.kind
  if (artifact?.slug !== undefined) return defaultKey(artifact.slug)
  if (artifact?.id === undefined) throw invalid(`key or ${name}_ref is required`)
  const row = await findRow(scope, 'artifact', artifact.id)
  if (!row) throw invalid(`${name}_ref.id: the ${name} to derive the key from does not exist`)
  return defaultKey(row.slug)
}

/** Of an environment's revision `r`: the entry under a key. The others, of which there may be many, are not read. */
const entryUnder = (key: string): RawBuilder<unknown> => sql`r.data -> 'references' -> ${key}::text`

/** The references for a kind in an entry; undefined if there are none. */
function referencesIn(entry: JsonObject, { name }: Kind): References | undefined {
  const found = layersOf(entry as Record<string, Reference>, name)
  return Object.values(found).some(one => one?.id ?? one?.slug) ? found : undefined
}

/**
 * `retrieval_info`: the three layers of the found revision, and those of the environment with the key if one was used.
 */
export function retrievalInfo({ name }: Kind, { row, environment, key }: Retrieved): JsonObject {
  const references = { ...(environment && referencesTo('environment', environment)), ...referencesTo(name, row) }
  return key === undefined ? { references } : { references, selector: { key } }
}
