import { newId } from '@spanhouse/postgres'
import { expect, test } from 'vitest'
import { onEachDatabase } from '../postgres/database.testing.ts'
import { makeAccount, principalOf } from './account.testing.ts'
import { createApiKey } from './credentials/stored-keys.ts'
import { createProject } from './organizations/projects.ts'

onEachDatabase('limits', postgres => {
  const db = () => postgres().db

  test('a workspace that is full takes no more projects, however many ask at once', async () => {
    const principal = await principalOf(db(), await makeAccount(db()))
    const { workspace_id, organization_id } = principal
    const rows = Array.from({ length: 995 }, () => ({ id: newId(), name: 'P', workspace_id, organization_id }))
    await db().insertInto('projects').values(rows).execute()
    const create = () => createProject(db(), principal, { body: { name: 'More', make_default: true }, seeds: [] })
    const results = await Promise.allSettled(Array.from({ length: 10 }, create))
    expect(results.filter(result => result.status === 'fulfilled')).toHaveLength(4)
    for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject({ status: 400 })
    const defaults = db().selectFrom('projects').select('id').where('workspace_id', '=', workspace_id)
    expect(await defaults.where('is_default', '=', true).execute()).toHaveLength(1)
  })

  test('a user who has the most keys gets no more, however many are asked for at once', async () => {
    const principal = await principalOf(db(), await makeAccount(db()))
    const { user_id, project_id } = principal
    const keys = Array.from({ length: 995 }, (_, n) => ({
      id: newId(),
      prefix: `full${n}`,
      hash: `${n}`,
      user_id,
      project_id,
    }))
    await db().insertInto('api_keys').values(keys).execute()
    const results = await Promise.allSettled(Array.from({ length: 10 }, () => createApiKey(db(), principal)))
    expect(results.filter(result => result.status === 'fulfilled')).toHaveLength(4)
    for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject({ status: 400 })
  })
})
