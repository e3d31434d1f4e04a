import { invalid, Problem, type Uuid } from '@spanhouse/model'
import { refuseReservedSlug, requireUnguarded } from './guard.ts'
import type { Scope } from './kind.ts'
import { insertRevisions, NO_CONTENT } from './revisions.ts'
import type { HeaderInput } from './rows/header.ts'
import type { RevisionRow } from './rows/rows.ts'
import { inTransaction } from './scope.ts'
import { lockVariant, positionOn } from './variant-lock.ts'

export interface NewSeed extends HeaderInput {
  variant_id: Uuid
  /** Must match the variant's artifact. */
  artifact_id?: Uuid
  slug?: string
}

/** Gives a variant its first revision, without data. 404 for an unknown variant, 409 if it already has a revision. */
export function seedRevision(scope: Scope, { variant_id, artifact_id, ...input }: NewSeed): Promise<RevisionRow> {
  const { name } = scope.kind
  refuseReservedSlug(scope.kind, input.slug)
  return inTransaction(scope, async inside => {
    const variant = await lockVariant(inside, variant_id)
    if (artifact_id !== undefined && artifact_id !== variant.artifact_id)
      throw invalid(`${name}_id: the variant belongs to another ${name}`)
    requireUnguarded(scope, variant.artifact_flags)
    const { nextVersion } = await positionOn(inside, variant_id)
    if (nextVersion > 0) {
      const message = 'The variant already has a revision: use commit.'
      throw new Problem('conflict', { message, conflict: { [`${name}_variant_id`]: variant_id } })
    }
    const [row] = await insertRevisions(inside, variant, [
      { ...input, version: 0, message: 'Initial revision', content: NO_CONTENT },
    ])
    return row as RevisionRow
  })
}
