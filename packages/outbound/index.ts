export { getStatus } from './get-status.ts'
export * from './outbound-url.ts'
