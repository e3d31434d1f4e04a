import { invalid, Problem } from '@spanhouse/model'
import { commitRevision } from '../commit.ts'
import type { Scope } from '../kind.ts'
import { KINDS } from '../kinds.ts'
import type { RetrieveQuery } from '../retrieve.ts'
import { findRevision, hasReference } from '../rows/find.ts'
import { NO_DATA, type RevisionRow } from '../rows/rows.ts'
import { asKind } from '../scope.ts'
import { defaultKey, entryOf } from './deployed.ts'
import { changedReferences } from './environment-content.ts'

export interface Deployment extends RetrieveQuery {
  message?: string
}

/**
 * Commits to an environment that one of its keys now refers to a revision, and returns the revision. The environment's
 * other keys are unchanged. 400 if either is not referenced, 404 if it does not exist, 403 if the environment is
 * guarded and the caller may not deploy.
 */
export async function deployRevision(scope: Scope, deployment: Deployment): Promise<RevisionRow> {
  const { references, environment = {}, key, message } = deployment
  const { kind } = scope
  if (!hasReference(kind, references))
    throw invalid(`${kind.name}_ref, ${kind.name}_variant_ref or ${kind.name}_revision_ref is required`)
  if (!hasReference(KINDS.environment, environment))
    throw invalid('environment_ref, environment_variant_ref or environment_revision_ref is required')
  const row = await findRevision(scope, references)
  if (!row) throw new Problem('not_found', `The ${kind.name} revision does not exist.`)
  const place = await findRevision(asKind(scope, KINDS.environment), environment, NO_DATA)
  if (!place) throw new Problem('not_found', 'The environment does not exist or has no revision.')
  const set = { [key ?? defaultKey(row.artifact_slug)]: entryOf(kind, row) }
  const commit = { variant_id: place.variant_id, delta: changedReferences(set), message }
  await commitRevision(asKind(scope, KINDS.environment), commit)
  return row
}
