export * from './outbound-error.ts'
export {
  type OutboundFetch,
  type OutboundLimits,
  type OutboundRequest,
  outboundFetch,
} from './outbound-fetch.ts'
export { chosenHeaders, headerMistakeIn } from './outbound-headers.ts'
export * from './outbound-url.ts'
