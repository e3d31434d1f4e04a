export { z } from 'zod'
export * from './collections.ts'
export * from './fields.ts'
export { type RequestPart, validate } from './validate.ts'
