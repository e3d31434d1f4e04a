export { domainOf, type RevisionRead } from './log/kinds.ts'
export { eventQuery, exportEvents, listEvents } from './log/list.ts'
export { ReadEvents } from './log/read-events.ts'
export {
  type NewEvent,
  type OtherChange,
  recordChange,
  recordEvents,
} from './log/record.ts'
export * from './log/retention.ts'
export {
  deliveryQuery,
  draftSubscription,
  editedSubscription,
  newDelivery,
  newSubscription,
  subscriptionQuery,
} from './webhooks/body.ts'
export { Deliverer } from './webhooks/deliverer.ts'
export {
  fetchDelivery,
  listDeliveries,
  redeliver,
  testSubscription,
  writeDelivery,
} from './webhooks/deliveries.ts'
export { toDeliveryJson } from './webhooks/rows.ts'
export type { WebhookScope } from './webhooks/scope.ts'
export { ATTEMPT_LIMITS } from './webhooks/send.ts'
export {
  createSubscription,
  deleteSubscription,
  editSubscription,
  fetchSubscription,
  listSubscriptions,
  setSubscriptionActive,
} from './webhooks/subscriptions.ts'
