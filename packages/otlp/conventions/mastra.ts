import type { Convention } from './convention.ts'

export const mastra: Convention = { name: 'mastra', rows: [] }
