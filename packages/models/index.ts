export * from './catalogue.ts'
export { PROVIDER_APIS, type ProviderApi } from './provider-apis.ts'
