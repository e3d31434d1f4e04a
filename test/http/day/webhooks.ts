import { randomUUID } from 'node:crypto'
import type { Day } from './caller.ts'

/** Subscribes, tests, delivers again, and ends it. */
export async function subscribe({ as }: Day): Promise<void> {
  const subscription = { data: { url: 'https://h.example.test', event_types: [] } }
  const { id } = (await as('POST', '/webhooks/subscriptions', { subscription })).subscription
  const path = `/webhooks/subscriptions/${id}`
  await as('PUT', path, { subscription: { id, name: 'S', ...subscription } })
  for (const verb of ['stop', 'start']) await as('POST', `${path}/${verb}`)
  const { delivery } = await as('POST', '/webhooks/subscriptions/test', { subscription_id: id })
  await as('POST', `/webhooks/deliveries/${delivery.id}/redeliver`)
  const { event_id } = delivery
  await as('POST', '/webhooks/deliveries', {
    delivery: { subscription_id: id, event_id: event_id ?? randomUUID(), status: { code: '200', message: 'success' } },
  })
  await as('DELETE', path)
}
