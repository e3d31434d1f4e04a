import type { ProjectPrincipal } from '@spanhouse/access'
import {
  ATTEMPT_LIMITS,
  createSubscription,
  deleteSubscription,
  deliveryQuery,
  draftSubscription,
  editedSubscription,
  editSubscription,
  fetchDelivery,
  fetchSubscription,
  listDeliveries,
  listSubscriptions,
  newDelivery,
  newSubscription,
  redeliver,
  setSubscriptionActive,
  subscriptionQuery,
  testSubscription,
  toDeliveryJson,
  type WebhookScope,
  writeDelivery,
} from '@spanhouse/events'
import { invalid } from '@spanhouse/model'
import { type OutboundFetch, outboundFetch } from '@spanhouse/outbound'
import { ignoredBody, optional, uuid, z } from '@spanhouse/validation'
import type { FastifyInstance } from 'fastify'
import { QUERY_BODY_BYTES_MAX } from '../budget/limits.ts'
import { manyRead, one } from '../http/answer/envelopes.ts'
import { addEndpoint } from '../http/endpoint.ts'
import type { Parts } from '../parts.ts'

const tag = 'webhooks'
const view = 'view_webhooks'
const edit = 'edit_webhooks'

const params = z.object({ id: uuid })
const record = z.looseObject({ id: z.string() })
const oneSubscription = z.object({ count: z.int(), subscription: record })
const oneDelivery = z.object({ count: z.int(), delivery: record })

type WebhookParts = Pick<Parts, 'postgres' | 'vault' | 'outbound'>

/** Subscriptions to events, and how their deliveries have ended. */
export function webhookRoutes(parts: WebhookParts): (app: FastifyInstance) => void {
  const fetch = outboundFetch({ ...parts.outbound, ...ATTEMPT_LIMITS })
  return app => {
    addSubscriptionRoutes(app, parts)
    addTestRoute(app, parts, fetch)
    addDeliveryRoutes(app, parts)
  }
}

const scopeOf = (
  { postgres, vault, outbound }: WebhookParts,
  { project_id, user_id, permissions }: ProjectPrincipal,
): WebhookScope => ({
  db: postgres.db,
  vault,
  outbound,
  project_id,
  user_id,
  maySeeSecrets: permissions.has(edit),
})

function addSubscriptionRoutes(app: FastifyInstance, parts: WebhookParts): void {
  const path = '/webhooks/subscriptions'
  addEndpoint(app, {
    method: 'POST',
    path,
    tag,
    permission: edit,
    isSecret: true,
    echo: false,
    body: z.object({ subscription: newSubscription }),
    answer: oneSubscription,
    summary: 'Creates a subscription to events of the project.',
    handle: async ({ principal, body }) =>
      one('subscription', await createSubscription(scopeOf(parts, principal), body.subscription)),
  })
  addEndpoint(app, {
    method: 'GET',
    path: `${path}/:id`,
    tag,
    permission: view,
    isSecret: true,
    params,
    answer: oneSubscription,
    summary: 'Returns a subscription, with its secret for callers who may edit it.',
    handle: async ({ principal, params }) =>
      one('subscription', await fetchSubscription(scopeOf(parts, principal), params.id)),
  })
  addEndpoint(app, {
    method: 'PUT',
    path: `${path}/:id`,
    tag,
    permission: edit,
    isSecret: true,
    echo: false,
    params,
    body: z.object({ subscription: editedSubscription }),
    answer: oneSubscription,
    summary: 'Replaces a subscription; omitted flags and an omitted secret stay.',
    handle: async ({ principal, params, body: { subscription } }) => {
      if (subscription.id !== params.id) throw invalid('subscription.id must be the id in the path.')
      return one('subscription', await editSubscription(scopeOf(parts, principal), params.id, subscription))
    },
  })
  addEndpoint(app, {
    method: 'DELETE',
    path: `${path}/:id`,
    tag,
    permission: edit,
    params,
    status: 204,
    summary: 'Deletes a subscription with its deliveries and its secret.',
    handle: ({ principal, params }) => deleteSubscription(scopeOf(parts, principal), params.id),
  })
  addEndpoint(app, {
    method: 'POST',
    path: `${path}/query`,
    tag,
    permission: view,
    bodyBytesMax: QUERY_BODY_BYTES_MAX,
    body: subscriptionQuery,
    answer: z.object({ count: z.int(), subscriptions: z.array(record) }),
    summary: 'Lists subscriptions, newest first.',
    handle: async ({ principal, body }) => {
      const subscriptions = await listSubscriptions(scopeOf(parts, principal), body)
      return { count: subscriptions.length, subscriptions }
    },
  })
  for (const verb of ['start', 'stop'] as const)
    addEndpoint(app, {
      method: 'POST',
      path: `${path}/:id/${verb}`,
      tag,
      permission: edit,
      isSecret: true,
      params,
      body: ignoredBody,
      answer: oneSubscription,
      summary:
        verb === 'start' ? 'Starts a subscription.' : 'Stops a subscription: it gets nothing until it is started.',
      handle: async ({ principal, params }) =>
        one('subscription', await setSubscriptionActive(scopeOf(parts, principal), params.id, verb === 'start')),
    })
}

function addTestRoute(app: FastifyInstance, parts: WebhookParts, fetch: OutboundFetch): void {
  addEndpoint(app, {
    method: 'POST',
    path: '/webhooks/subscriptions/test',
    tag,
    permission: edit,
    share: 'probe',
    echo: false,
    body: z.object({ subscription_id: optional(uuid), subscription: optional(draftSubscription) }),
    answer: oneDelivery,
    summary: 'Sends a test event once, and returns how it ended.',
    handle: async ({ principal, body: { subscription_id, subscription: draft } }) => {
      if ((subscription_id === undefined) === (draft === undefined))
        throw invalid('Exactly one of subscription_id and subscription is required.')
      return one('delivery', await testSubscription(scopeOf(parts, principal), fetch, { subscription_id, draft }))
    },
  })
}

function addDeliveryRoutes(app: FastifyInstance, parts: WebhookParts): void {
  const path = '/webhooks/deliveries'
  addEndpoint(app, {
    method: 'GET',
    path: `${path}/:id`,
    tag,
    permission: view,
    params,
    answer: oneDelivery,
    summary: 'Returns a delivery.',
    handle: async ({ principal, params }) => one('delivery', await fetchDelivery(scopeOf(parts, principal), params.id)),
  })
  addEndpoint(app, {
    method: 'POST',
    path: `${path}/query`,
    tag,
    permission: view,
    share: 'heavy',
    bodyBytesMax: QUERY_BODY_BYTES_MAX,
    body: deliveryQuery,
    answer: z.object({ count: z.int(), deliveries: z.array(record) }),
    summary: 'Lists deliveries that have ended, newest first.',
    handle: async ({ principal, body, holder }) =>
      manyRead('deliveries', await listDeliveries(scopeOf(parts, principal), body), { holder, record: toDeliveryJson }),
  })
  addEndpoint(app, {
    method: 'POST',
    path,
    tag,
    permission: edit,
    body: z.object({ delivery: newDelivery }),
    answer: oneDelivery,
    summary: 'Writes a delivery by hand; nothing is sent.',
    handle: async ({ principal, body }) =>
      one('delivery', await writeDelivery(scopeOf(parts, principal), body.delivery)),
  })
  addEndpoint(app, {
    method: 'POST',
    path: `${path}/:id/redeliver`,
    change: 'webhook_deliveries.redelivered',
    tag,
    permission: edit,
    params,
    body: ignoredBody,
    answer: oneDelivery,
    summary: 'Sends the event of a delivery again, with the same ids.',
    handle: async ({ principal, params }) => one('delivery', await redeliver(scopeOf(parts, principal), params.id)),
  })
}
