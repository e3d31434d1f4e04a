export {
  type AttemptRules,
  attemptInTurn,
  FALLBACK_POLICIES,
  RETRY_POLICIES,
} from './attempts.ts'
export * from './catalogue.ts'
export * from './chat-reply.ts'
export * from './chat-request.ts'
export { mockRoute } from './mock.ts'
export * from './model-error.ts'
export { type Models, openModels } from './models.ts'
export { PROVIDER_APIS, type ProviderApi } from './provider-apis.ts'
export { type ModelSecret, type ProviderRoute, type Route, route } from './route.ts'
