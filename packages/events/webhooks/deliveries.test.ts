import { newId, sql } from '@spanhouse/postgres'
import { onEachDatabase } from '@spanhouse/postgres/database.testing.ts'
import { validate } from '@spanhouse/validation'
import { expect, test } from 'vitest'
import { deliveryQuery, newDelivery } from './body.ts'
import { listDeliveries, writeDelivery } from './deliveries.ts'
import type { WebhookScope } from './scope.ts'

onEachDatabase('deliveries', postgres => {
  test('a list of large deliveries is in memory in parts, and complete', async () => {
    const { db } = postgres()
    const [user_id, organization_id, workspace_id, project_id, subscription_id] = Array.from({ length: 5 }, newId)
    const name = 'x'
    await sql`with u as (insert into users (id, uid, email, username) values (${user_id}, ${user_id}, ${user_id}, ${name})),
      o as (insert into organizations (id, name, owner_id) values (${organization_id}, ${name}, ${user_id})),
      w as (insert into workspaces (id, organization_id, name) values (${workspace_id}, ${organization_id}, ${name})),
      p as (insert into projects (id, organization_id, workspace_id, name)
        values (${project_id}, ${organization_id}, ${workspace_id}, ${name}))
      insert into webhook_subscriptions (project_id, id, data, is_secret_given)
        values (${project_id}, ${subscription_id}, '{}', false)`.execute(db)
    const scope = { db, project_id, user_id } as WebhookScope
    const payload = 'long '.repeat(200_000)
    const events = Array.from({ length: 6 }, newId)
    for (const event_id of events) {
      const status = { code: '200', message: 'success' }
      await writeDelivery(
        scope,
        validate(newDelivery, { subscription_id, event_id, status, data: { payload } }, 'body'),
      )
    }
    const list = await listDeliveries(scope, validate(deliveryQuery, {}, 'body'))
    expect(Math.floor(list.bytesMax / payload.length)).toBe(4)
    const read = await Array.fromAsync(list.rows)
    expect([list.count, read.map(({ event_id }) => event_id).toSorted()]).toEqual([6, events.toSorted()])
  })
})
