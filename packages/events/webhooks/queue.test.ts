import { randomBytes } from 'node:crypto'
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
  const subscribe = async (sealing: Vault, events = [{}]): Promise<Uuid> => {
    const { project_id, user_id } = await principalOf(db(), await makeAccount(db()))
    const data = { url: 'https://hooks.example.test/' }
    const scope = { db: db(), vault: sealing, outbound: { isOpen: false }, project_id, user_id, maySeeSecrets: false }
    const { id } = await createSubscription(scope as never, { data } as never)
    const type = 'workflows.revisions.committed'
    for (const attributes of events) await recordEvents(db(), [{ project_id, type, attributes }])
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

  test('large events take the room of many, and one is claimed however large it is', async () => {
    const large = { text: randomBytes(200_000).toString('base64') }
    const id = await subscribe(vault, [large, {}, large, {}, large])
    const errors: Error[] = []
    const claim = async (max: number): Promise<boolean[]> => {
      const source = { db: db(), vault, onUnreadable: (error: Error) => void errors.push(error) }
      const claims = await claimDue(source, { max, each: 10, held: [] })
      const own = claims.filter(({ subscription_id }) => subscription_id === id)
      return own.map(({ places }) => places > 5).toSorted()
    }
    expect(await claim(1)).toEqual([true])
    expect(await claim(15)).toEqual([false, false, true])
    expect(await claim(15)).toEqual([true])
    expect(await claim(15)).toEqual([])
  })
})
