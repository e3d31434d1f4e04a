import type { Uuid } from '@spanhouse/model'
import type { Measure } from '../analytics/analytics-spec.ts'
import { compileMeasureAt } from '../analytics/compile-measure.ts'
import { attributePlace, type Place } from '../compile/place.ts'
import { fromRoots, SETTINGS } from '../page/statements.ts'
import { costOf, int, ints, join, type Sql, sql, text, texts, uuid } from '../sql.ts'

/*
 * Statements that join the cells of an evaluation run with the root spans of their traces. Each cell counts, so a trace
 * that several cells refer to counts as often. The cells are the newest version of each id (see
 * `clickhouse/002_evaluation_cells.sql`).
 */

/** What a row of metrics is about: the whole run, one scenario, or one bucket of a live run. */
export type PlaceKind = 'run' | 'scenario' | 'bucket'

/** The cells of one kind of place. */
export interface CellPlaces {
  readonly project_id: Uuid
  readonly run_id: Uuid
  readonly kind: PlaceKind
  /** Ids of scenarios (`scenario`), or starts of buckets in microseconds (`bucket`); unused for a run. */
  readonly among: readonly (Uuid | number)[]
}

/** A step that leaves traces, and what is measured of their root spans. */
export interface MeasuredStep {
  readonly key: string
  /** Whether measures read the span's data, which for large values takes longer than everything else. */
  readonly hasOutputs: boolean
  readonly measures: readonly { readonly path: readonly string[]; readonly type: Measure }[]
}

/** The key of a place in the rows of a statement: empty for a run, a scenario's id, or a bucket's start in microseconds. */
const PLACE_KEYS: Record<PlaceKind, Sql> = {
  run: sql`''`,
  scenario: sql`toString(scenario_id)`,
  bucket: sql`toString(toUnixTimestamp64Micro(cell.3))`,
}

/** A larger set of trace ids is compared with rows alone: testing the index for each of them takes longer. */
const CELL_SETTINGS = sql`${SETTINGS}, use_index_for_in_with_subqueries_max_values = 5000`

/**
 * Rows of `place`, `traces` (for each step, how many of its cells have a stored trace) and `measures` (for each step the
 * list of its measures, see `MeasureRows`). Places without a stored trace have no row.
 */
export function compileCellMetrics(places: CellPlaces, steps: readonly MeasuredStep[]): Sql {
  const traces = steps.map(({ key }) => sql`countIf(step_key = ${text(key)})`)
  const measures = steps.map(({ key, measures }) => {
    const isStep = sql`step_key = ${text(key)}`
    const all = measures.map(({ path, type }) =>
      compileMeasureAt(type, onlyWhere(isStep, attributePlace(path)), { edge: true }),
    )
    return sql`tuple(${join(all)})`
  })
  const rows = [false, true].flatMap(hasOutputs => {
    const keys = steps.filter(step => step.hasOutputs === hasOutputs).map(({ key }) => key)
    return keys.length === 0 ? [] : [measuredRows(places, keys, hasOutputs)]
  })
  return sql`SELECT place, tuple(${join(traces)}) AS traces, tuple(${join(measures)}) AS measures
FROM (${join(rows, sql` UNION ALL `)}) GROUP BY place ${CELL_SETTINGS}`
}

/** The approximate cost of measuring a step, see `costOf`; for splitting many steps into several statements. */
export const costOfStep = (step: MeasuredStep): number =>
  costOf(compileCellMetrics({ project_id: NOBODY, run_id: NOBODY, kind: 'run', among: [] }, [step]))
const NOBODY = '00000000-0000-0000-0000-000000000000'

/** The values of other rows are not even computed: the engine evaluates the branches of `if` lazily. */
function onlyWhere(condition: Sql, { json, present, isObject, ...place }: Place): Place {
  return {
    ...place,
    json: sql`if(${condition}, ${json}, '')`,
    present: sql`(${condition} AND ${present})`,
    isObject: sql`(${condition} AND ${isObject})`,
  }
}

const AMOUNTS = sql`duration_cumulative, errors_cumulative, costs_cumulative_total, tokens_cumulative_total`

function measuredRows(places: CellPlaces, keys: readonly string[], hasOutputs: boolean): Sql {
  const data = hasOutputs ? sql`data` : sql`''`
  return sql`SELECT place, step_key, ${AMOUNTS}, ${data} AS data
FROM (SELECT trace_id, ${AMOUNTS}, ${data} AS data ${fromRoots(places.project_id, inCells(places, keys))}) AS s
INNER JOIN (${cellsOf(places, keys)}) AS c ON s.trace_id = c.trace_id`
}

const isStepIn = (keys: readonly string[]): Sql => sql`step_key IN (SELECT arrayJoin(${texts(keys)}))`

/** The versions of cells that may be of these places, by the table's key. */
function fromCells({ project_id, run_id, kind, among }: CellPlaces): Sql {
  const ofRun = sql`FROM evaluation_cells WHERE project_id = ${uuid(project_id)} AND run_id = ${uuid(run_id)}`
  if (kind !== 'scenario') return ofRun
  return sql`${ofRun} AND scenario_id IN (SELECT toUUID(arrayJoin(${texts(among as readonly Uuid[])})))`
}

/** The trace ids of all versions of the cells: more than are needed, without finding the newest of each. */
const inCells = (places: CellPlaces, keys: readonly string[]): Sql =>
  sql`trace_id IN (SELECT trace_id ${fromCells(places)} AND ${isStepIn(keys)})`

/** The newest versions of the cells: `place`, `step_key`, `trace_id`, `scenario`, `repeat_idx`. */
export function cellsOf(places: CellPlaces, keys: readonly string[]): Sql {
  const inBucket =
    places.kind === 'bucket'
      ? sql` AND toUnixTimestamp64Micro(cell.3) IN (SELECT arrayJoin(${ints(places.among as readonly number[])}))`
      : sql``
  return sql`SELECT ${PLACE_KEYS[places.kind]} AS place, cell.1 AS step_key, cell.2 AS trace_id, scenario_id, cell.5 AS repeat_idx
FROM (SELECT scenario_id, argMax(tuple(step_key, trace_id, timestamp, is_deleted, repeat_idx), version) AS cell
  ${fromCells(places)} GROUP BY scenario_id, id)
WHERE NOT cell.4 AND cell.2 != toFixedString('', 16) AND cell.1 IN (SELECT arrayJoin(${texts(keys)}))${inBucket}`
}

/** Cells of a step that are tried, in order, and traces whose outputs are returned. */
const CANDIDATES = 50
const SAMPLES = 5

/** Rows of `step_key` and `outputs` (JSON text): of each step, those of the first five stored traces that have any. */
export function compileSampleOutputs(run: Omit<CellPlaces, 'kind' | 'among'>, keys: readonly string[]): Sql {
  const places: CellPlaces = { ...run, kind: 'run', among: [] }
  const first = sql`SELECT step_key, trace_id, toString(scenario_id) AS scenario, repeat_idx FROM (${cellsOf(places, keys)})
  ORDER BY step_key, scenario, repeat_idx LIMIT ${int(CANDIDATES)} BY step_key`
  const outputs = sql`SELECT trace_id, JSONExtractRaw(data, 'outputs') AS outputs
  ${fromRoots(run.project_id, sql`trace_id IN (SELECT trace_id FROM (${first}))`)}`
  return sql`SELECT step_key, outputs FROM (${outputs}) AS s INNER JOIN (${first}) AS c ON s.trace_id = c.trace_id
WHERE outputs NOT IN ('', 'null') ORDER BY step_key, scenario, repeat_idx LIMIT ${int(SAMPLES)} BY step_key ${CELL_SETTINGS}`
}

/** Rows of `step_key`, `scenario_id`, `repeat_idx` and `outputs` (JSON text) of the cells whose traces are stored. */
export function compileCellOutputs(run: Omit<CellPlaces, 'kind' | 'among'>, keys: readonly string[]): Sql {
  const places: CellPlaces = { ...run, kind: 'run', among: [] }
  const outputs = sql`SELECT trace_id, JSONExtractRaw(data, 'outputs') AS outputs
  ${fromRoots(run.project_id, inCells(places, keys))}`
  return sql`SELECT step_key, toString(scenario_id) AS scenario_id, repeat_idx, outputs
FROM (${outputs}) AS s INNER JOIN (${cellsOf(places, keys)}) AS c ON s.trace_id = c.trace_id
WHERE outputs != '' ORDER BY scenario_id, repeat_idx ${CELL_SETTINGS}`
}
