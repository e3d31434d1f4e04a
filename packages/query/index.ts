export * from './aggregation.ts'
export * from './analytics/activity.ts'
export { type AnalyticsQuery, FOCUSES, FORMATS, parseAnalyticsQuery } from './analytics/analytics-query.ts'
export { type Measure, SPEC_TYPES, type Spec } from './analytics/analytics-spec.ts'
export { type Buckets, bucketStart, bucketsOf } from './analytics/buckets.ts'
export * from './analytics/compile-analytics.ts'
export * from './analytics/compile-measure.ts'
export { amountColumns, type Column, type RowSource, readMoney, secondsText } from './column.ts'
export * from './columns.ts'
export { compileFilter } from './compile/compile-filter.ts'
export { restoreCopies } from './copies.ts'
export {
  type CellPlaces,
  compileCellMetrics,
  compileCellOutputs,
  compileMissingTraces,
  compileSampleOutputs,
  costOfStep,
  MEASURE_COLUMNS,
  type PlaceKind,
} from './evaluation/cell-metrics.ts'
export * from './evaluation/compare-runs.ts'
export { type MeasuredStep, planSlots } from './evaluation/measure-slots.ts'
export * from './evaluation/run-cases.ts'
export { FIELD_KINDS, FIELDS, OPERATORS } from './filter/fields.ts'
export * from './filter/filter.ts'
export { filterSize } from './filter/filter-size.ts'
export { parseFilter } from './filter/parse-filter.ts'
export { isOfRoots } from './hints/search-hints.ts'
export { inlineParams, stringLiteral } from './literals.ts'
export { SHORT_DATA_MAX } from './long-data.ts'
export { matchSpan } from './match/match.ts'
export type { MatchableSpan } from './match/match-json.ts'
export * from './match/match-work.ts'
export { compareSpans } from './page/cursor.ts'
export * from './page/facets.ts'
export * from './page/groups.ts'
export * from './page/previews.ts'
export * from './page/rows.ts'
export * from './page/skeleton.ts'
export {
  filterFor,
  namesSavedQuery,
  parseSavedQuery,
  parseSpanQuery,
  refuseUnknownMembers,
  type SpanQuery,
} from './page/span-query.ts'
export * from './page/statements.ts'
export * from './page/windowing.ts'
export type * from './position.ts'
export * from './sql.ts'
export { storedBody } from './stored-body.ts'
