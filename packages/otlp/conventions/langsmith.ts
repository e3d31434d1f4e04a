import type { Convention } from './convention.ts'

export const langSmith: Convention = { name: 'langsmith', rows: [] }
