export { z } from 'zod'
export * from './fields.ts'
export * from './outbound-url.ts'
export { type RequestPart, validate } from './validate.ts'
