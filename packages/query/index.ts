export * from './aggregation.ts'
export * from './analytics/activity.ts'
export { type AnalyticsQuery, FOCUSES, FORMATS, parseAnalyticsQuery } from './analytics/analytics-query.ts'
export { type Measure, SPEC_TYPES, type Spec } from './analytics/analytics-spec.ts'
export { type Buckets, bucketStart, bucketsOf } from './analytics/buckets.ts'
export * from './analytics/compile-analytics.ts'
export {
  binBounds,
  type Frequencies,
  type HistogramRow,
  type MeasureRows,
  type NumbersRow,
  PERCENTILES,
  type Runs,
} from './analytics/compile-measure.ts'
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
export {
  CELL_CHARACTERS_MAX,
  type CellContent,
  compileCellContents,
  compileScoredScenarios,
  compileScoreSummaries,
  type RunScore,
} from './evaluation/run-cases.ts'
export { FIELD_KINDS, FIELDS, OPERATORS } from './filter/fields.ts'
export { type Filter, GROUP_OPERATORS, NUMERIC_TEXT } from './filter/filter.ts'
export { filterSize } from './filter/filter-size.ts'
export { parseFilter } from './filter/parse-filter.ts'
export { isOfRoots } from './hints/search-hints.ts'
export { inlineParams, stringLiteral } from './literals.ts'
export { SHORT_DATA_MAX } from './long-data.ts'
export { matchSpan } from './match/match.ts'
export type { MatchableSpan } from './match/match-json.ts'
export { MatchTooLong, MatchWork } from './match/match-work.ts'
export { compareSpans } from './page/cursor.ts'
export * from './page/facets.ts'
export {
  AMOUNTS,
  compileGroups,
  GROUP_ORDERS,
  GROUPED_BY,
  GROUPS_MAX,
  type GroupQuery,
  type GroupRow,
  parseGroupMembers,
} from './page/groups.ts'
export * from './page/previews.ts'
export {
  afterText,
  bucketMicros,
  COUNT_BUCKETS_MAX,
  type CountRow,
  compileCount,
  compileMeasured,
  compileRowPage,
  compileRows,
  compileRowsAt,
  inMeasuredOrder,
  type ListRow,
  type MeasuredPosition,
  type MeasuredRow,
  parseRowMembers,
  ROW_ORDERS,
  type RowOrder,
  readFocus,
} from './page/rows.ts'
export * from './page/skeleton.ts'
export {
  filterFor,
  namesSavedQuery,
  parseSavedQuery,
  parseSpanQuery,
  refuseUnknownMembers,
  type SpanQuery,
} from './page/span-query.ts'
export {
  candidatesOf,
  compileFewSpans,
  compileFewSpansByIds,
  compileFirstSpans,
  compileHeadsByIds,
  compileRareTraces,
  compileSizeByIds,
  compileSizesByIds,
  compileSpanQuery,
  compileSpansByIds,
  compileSpansSince,
  compileTraceQuery,
  fromSpans,
  type SpanIds,
  type SpansOf,
  STATEMENT_SETTINGS,
  type TracesOf,
} from './page/statements.ts'
export {
  inOrder,
  nextWindowing,
  ORDERS,
  pageLimit,
  parseGivenWindowing,
  parseWindowing,
  WINDOWING_MEMBERS,
  type Windowing,
} from './page/windowing.ts'
export type * from './position.ts'
export { aggregate, COST_MAX, identifier, int, printSql, type Sql, sql } from './sql.ts'
export { storedBody } from './stored-body.ts'
