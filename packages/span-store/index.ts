export { type Engine, type EngineLocation, isPassing, openEngine, type Statement } from './engine.ts'
export { migrateSpans } from './migrate.ts'
export { positionOf, readSpans, readTraceHeads, SPAN_COLUMNS } from './row.ts'
export { type IncomingSpan, SpanWriter, type SpanWriterOptions, type WriteResult } from './write.ts'
