export {
  type Attempt,
  type AttemptRules,
  attemptInTurn,
  FALLBACK_POLICIES,
  type FallbackPolicy,
  RETRY_POLICIES,
  type RetryPolicy,
} from './attempts.ts'
export * from './catalogue.ts'
export * from './chat-reply.ts'
export * from './chat-request.ts'
export type { EmbeddingReply, EmbeddingRequest } from './embedding.ts'
export { mockRoute } from './mock.ts'
export * from './model-error.ts'
export { MODEL_LIMITS, type Models, openModels } from './models.ts'
export { PROVIDER_APIS, type ProviderApi } from './provider-apis.ts'
export { type MockRoute, type ModelSecret, type ProviderRoute, type Route, route } from './route.ts'
