import type { Postgres } from '@spanhouse/postgres'
import { onEachDatabase } from '@spanhouse/postgres/database.testing.ts'
import { expect, test } from 'vitest'
import { editArtifact, setArtifactArchived } from './artifacts.ts'
import { commitRevision } from './commit.ts'
import { deployRevision } from './environments/deploy.ts'
import { changedReferences } from './environments/environment-content.ts'
import { forkVariant } from './fork.ts'
import type { Scope } from './kind.ts'
import { newScope } from './registry.testing.ts'
import { editRevision, setRevisionArchived } from './revisions.ts'
import type { SimpleRow } from './rows/simple-rows.ts'
import { createSimple, editSimple, type SimpleEdit, setSimpleArchived } from './simple.ts'
import { createVariant, editVariant, setVariantArchived } from './variants.ts'

/** Everything that changes an environment. */
const CHANGES: [string, (scope: Scope, row: SimpleRow) => Promise<unknown>][] = [
  ['edit', (scope, { id }) => editArtifact(scope, id, { name: 'x' })],
  ['lifting the guard by an edit', (scope, { id }) => editArtifact(scope, id, { flags: { is_guarded: false } })],
  ['archive', (scope, { id }) => setArtifactArchived(scope, id, true)],
  ['new variant', (scope, { id }) => createVariant(scope, { artifact_id: id, slug: 'v' })],
  ['fork', (scope, { variant_id }) => forkVariant(scope, { variant: { id: variant_id } }, { slug: 'f' })],
  ['edit of its variant', (scope, { variant_id }) => editVariant(scope, variant_id, { name: 'x' })],
  ['archive of its variant', (scope, { variant_id }) => setVariantArchived(scope, variant_id, true)],
  ['edit of its revision', (scope, { revision_id }) => editRevision(scope, revision_id, { name: 'x' })],
  ['archive of its revision', (scope, { revision_id }) => setRevisionArchived(scope, revision_id, true)],
  ['commit', (scope, { variant_id }) => commitRevision(scope, { variant_id, delta: changedReferences({}) })],
  ['simple edit', (scope, { id }) => editSimple(scope, id, { description: 'x' } satisfies SimpleEdit)],
  ['simple archive', (scope, { id }) => setSimpleArchived(scope, id, true)],
]

onEachDatabase('a guarded environment', (postgres: () => Postgres) => {
  test('is changed by nobody who may not deploy', async () => {
    const as = await newScope(postgres())
    const row = await createSimple(as('environment'), { slug: 'live', flags: { is_guarded: true } })
    await createSimple(as('application'), { slug: 'app', data: { parameters: {} } })
    const outsider = as('environment', { mayDeploy: false })
    for (const [name, change] of CHANGES)
      await expect(change(outsider, row), name).rejects.toMatchObject({ code: 'forbidden', status: 403 })
    const deployment = { references: { artifact: { slug: 'app' } }, environment: { artifact: { slug: 'live' } } }
    await expect(deployRevision(as('application', { mayDeploy: false }), deployment)).rejects.toMatchObject({
      status: 403,
    })
    await deployRevision(as('application'), deployment)
    await editArtifact(as('environment'), row.id, { flags: { is_guarded: false } })
    await expect(
      commitRevision(outsider, { variant_id: row.variant_id, delta: changedReferences({}) }),
    ).resolves.toBeTruthy()
  })
})
