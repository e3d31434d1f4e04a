export * from './log/kinds.ts'
export * from './log/list.ts'
export * from './log/read-events.ts'
export {
  type EventRow,
  type NewEvent,
  type OtherChange,
  recordChange,
  recordEvents,
  toEventJson,
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
export { Deliverer, type DelivererOptions, RETRY_SECONDS } from './webhooks/deliverer.ts'
export {
  fetchDelivery,
  listDeliveries,
  redeliver,
  testSubscription,
  writeDelivery,
} from './webhooks/deliveries.ts'
export type { WebhookScope } from './webhooks/scope.ts'
export { ATTEMPT_LIMITS } from './webhooks/send.ts'
export {
  createSubscription,
  deleteSubscription,
  editSubscription,
  fetchSubscription,
  listSubscriptions,
  SUBSCRIPTIONS_MAX,
  setSubscriptionActive,
} from './webhooks/subscriptions.ts'
