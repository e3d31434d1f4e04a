export { answered, createSpanhouse, type Spanhouse, SpanhouseError, type SpanhouseOptions } from './client.ts'
export type { paths } from './interface.ts'
export { jsonLines } from './json-lines.ts'
export { type Counts, followRun, type RunEvent, type RunProgress } from './run-events.ts'
