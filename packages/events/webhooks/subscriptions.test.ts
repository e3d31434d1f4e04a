import { openVault } from '@spanhouse/access'
import type { Uuid } from '@spanhouse/model'
import { newId } from '@spanhouse/postgres'
import { expect, test } from 'vitest'
import { makeAccount, principalOf } from '../../access/account.testing.ts'
import { onEachDatabase } from '../../postgres/database.testing.ts'
import { testSubscription } from './deliveries.ts'
import type { WebhookScope } from './scope.ts'
import { createSubscription, deleteSubscription, SUBSCRIPTIONS_MAX } from './subscriptions.ts'

onEachDatabase('subscriptions', postgres => {
  const db = () => postgres().db
  const newScope = async (): Promise<WebhookScope> => {
    const { project_id, user_id } = await principalOf(db(), await makeAccount(db()))
    const vault = openVault('the secret key')
    return { db: db(), vault, outbound: { isOpen: false }, project_id, user_id, maySeeSecrets: false } as WebhookScope
  }

  test('a project that is full takes no more, however many ask at once', async () => {
    const scope = await newScope()
    const { project_id } = scope
    const rows = Array.from({ length: SUBSCRIPTIONS_MAX - 4 }, () => ({
      id: newId(),
      project_id,
      data: '{}',
      is_secret_given: false,
    }))
    await db().insertInto('webhook_subscriptions').values(rows).execute()
    const create = () => createSubscription(scope, { data: { url: 'https://hooks.example.test/' } } as never)
    const results = await Promise.allSettled(Array.from({ length: 10 }, create))
    expect(results.filter(result => result.status === 'fulfilled')).toHaveLength(4)
    for (const result of results) if (result.status === 'rejected') expect(result.reason).toMatchObject({ status: 400 })
  })

  test('one that is deleted during its test is not found', async () => {
    const scope = await newScope()
    const { id } = await createSubscription(scope, { data: { url: 'https://hooks.example.test/' } } as never)
    const fetch = async () => {
      await deleteSubscription(scope, id as Uuid)
      return new Response('ok')
    }
    const tested = testSubscription(scope, fetch as never, { subscription_id: id as Uuid })
    await expect(tested).rejects.toMatchObject({ status: 404, detail: expect.stringContaining(id as Uuid) })
  })
})
