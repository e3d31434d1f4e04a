import { openVault, type Vault } from '@spanhouse/access'
import type { Uuid } from '@spanhouse/model'
import { expect, test } from 'vitest'
import { makeAccount, principalOf } from '../../access/account.testing.ts'
import { onEachDatabase } from '../../postgres/database.testing.ts'
import { recordEvents } from '../log/record.ts'
import { claimDue } from './queue.ts'
import { createSubscription } from './subscriptions.ts'

const vault = openVault('the secret key')

onEachDatabase('the queue of webhooks', postgres => {
  const db = () => postgres().db
  const subscribe = async (sealing: Vault): Promise<Uuid> => {
    const { project_id, user_id } = await principalOf(db(), await makeAccount(db()))
    const data = { url: 'https://hooks.example.test/' }
    const scope = { db: db(), vault: sealing, outbound: { isOpen: false }, project_id, user_id, maySeeSecrets: false }
    const { id } = await createSubscription(scope as never, { data } as never)
    await recordEvents(db(), [{ project_id, type: 'workflows.revisions.committed', attributes: {} }])
    return id as Uuid
  }

  test('a secret that cannot be decrypted holds up its own deliveries alone', async () => {
    await subscribe(openVault('a key that was lost'))
    const readable = await subscribe(vault)
    const errors: string[] = []
    const source = { db: db(), vault, onUnreadable: ({ message }: Error) => void errors.push(message) }
    const claims = await claimDue(source, { max: 10, each: 4, held: [] })
    expect(claims.map(claim => claim.subscription_id)).toEqual([readable])
    expect(errors).toEqual([expect.stringContaining('different SPANHOUSE_SECRET_KEY')])
  })
})
