export { z } from 'zod'
export * from './fields.ts'
export { type RequestPart, validate } from './validate.ts'
