import { validate } from '@spanhouse/validation'
import { expect, test } from 'vitest'
import { onEachDatabase } from '../../postgres/database.testing.ts'
import { makeAccount, principalOf } from '../account.testing.ts'
import { createSecretBody } from './secret-body.ts'
import { createSecret, listSecrets, openSecrets } from './secrets.ts'
import { openVault } from './vault.ts'

const vault = openVault('the secret key')
const body = validate(
  createSecretBody({ isOpen: false }),
  { header: {}, secret: { kind: 'provider_key', data: { kind: 'openai', provider: { key: 'sk-plain' } } } },
  'body',
)

onEachDatabase('secrets in the database', postgres => {
  const db = () => postgres().db
  const store = async () => {
    const principal = await principalOf(db(), await makeAccount(db()))
    await createSecret(db(), { vault, principal }, body)
    return principal
  }

  test('are not readable there, and are for whoever has the key', async () => {
    const principal = await store()
    const rows = await db().selectFrom('secrets').selectAll().execute()
    expect(JSON.stringify(rows)).not.toContain('sk-plain')
    const { project_id } = principal
    const opened = await openSecrets(db(), vault, { project_id, kinds: ['provider_key'] })
    expect(opened).toMatchObject([{ name: 'OpenAI', data: { kind: 'openai', provider: { key: 'sk-plain' } } }])
    expect(await openSecrets(db(), vault, { project_id, kinds: ['custom_secret'] })).toEqual([])
  })

  test('are an error, never empty, with another key', async () => {
    const principal = await store()
    const other = { vault: openVault('another key'), principal }
    await expect(listSecrets(db(), other)).rejects.toThrow('different SPANHOUSE_SECRET_KEY')
  })

  test('do not open in another row', async () => {
    const [principal, thief] = [await store(), await store()]
    const { sealed } = await db()
      .selectFrom('secrets')
      .select('sealed')
      .where('project_id', '=', principal.project_id)
      .executeTakeFirstOrThrow()
    await db().updateTable('secrets').set({ sealed }).where('project_id', '=', thief.project_id).execute()
    await expect(listSecrets(db(), { vault, principal: thief })).rejects.toThrow('changed or moved')
  })
})
