export * from './limits.ts'
export * from './outcome.ts'
export * from './sandbox.ts'
