import type { Convention } from './convention.ts'

export const genkit: Convention = { name: 'genkit', rows: [] }
