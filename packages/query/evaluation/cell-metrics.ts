import type { Uuid } from '@spanhouse/model'
import type { Measure } from '../analytics/analytics-spec.ts'
import { compileMeasuresOfLists } from '../analytics/compile-measure.ts'
import type { AttributeColumn } from '../compile/attribute-columns.ts'
import { attributePlace } from '../compile/place.ts'
import { itemsIn, numberIn } from '../compile/written-json.ts'
import { SPAN_DATA } from '../long-data.ts'
import { fromRoots, SETTINGS } from '../page/statements.ts'
import { costOf, identifier, int, ints, join, type Sql, sql, text, texts, uuid } from '../sql.ts'
import { type Family, type MeasuredStep, type MeasureSlots, planSlots, type SlotPaths } from './measure-slots.ts'

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

/**
 * The key of a place in the rows of a statement: empty for a run, a scenario's id, or a bucket's start in microseconds.
 */
const PLACE_KEYS: Record<PlaceKind, Sql> = {
  run: sql`''`,
  scenario: sql`toString(scenario_id)`,
  bucket: sql`toString(toUnixTimestamp64Micro(timestamp))`,
}

/** A larger set of trace ids is compared with rows alone: testing the index for each of them takes longer. */
const CELL_SETTINGS = sql`${SETTINGS}, use_index_for_in_with_subqueries_max_values = 5000`

/**
 * Rows of `place`, `step_key`, and for each type of measure a list of rows (see `MeasureRows`), in the order of
 * {@link planSlots}. Steps without a stored trace at a place have no row.
 */
export function compileCellMetrics(places: CellPlaces, steps: readonly MeasuredStep[]): Sql {
  const { families } = planSlots(steps)
  const rows = [false, true].flatMap(readsData => {
    const some = steps.filter(step => isOfData(step) === readsData)
    return some.length === 0 ? [] : [measuredRows(places, some, readsData)]
  })
  return sql`SELECT ${join([sql`place, step_key`, ...measuresOf(families)])}
FROM (SELECT ${join([sql`place, step_key`, ...valuesOf(families, steps)])} FROM (${join(rows, sql` UNION ALL `)}))
GROUP BY place, step_key ${CELL_SETTINGS}`
}

/** The approximate cost of measuring a step, see `costOf`; for splitting many steps into several statements. */
export const costOfStep = (step: MeasuredStep): number =>
  costOf(compileCellMetrics({ project_id: NOBODY, run_id: NOBODY, kind: 'run', among: [] }, [step]))
const NOBODY = '00000000-0000-0000-0000-000000000000'

/** Reading the data of spans takes longer than everything else if they are large. */
const isOfData = ({ measures }: MeasuredStep): boolean => measures.some(({ path }) => path[1] === 'data')

type Families = MeasureSlots['families']

/** The lists of a cell's values, one for each family: numbers, of which NaN is none, or JSON, of which '' is none. */
function valuesOf(families: Families, steps: readonly MeasuredStep[]): Sql[] {
  const lists = new Map(
    [...families].map(([family, slots]) => [
      family,
      sql`[${join(slots.map(slot => valueAt(slot, family === 'amount', steps.length)))}]`,
    ]),
  )
  const named = (type: Measure, name: Sql): Sql[] => {
    const list = lists.get(type)
    return list === undefined ? [] : [sql`${list} AS ${name}`]
  }
  return [
    ...continuousOf(lists),
    ...named('numeric/discrete', sql`discrete`),
    ...named('binary', sql`booleans`),
    ...named('categorical/single', sql`singles`),
    ...named('categorical/multiple', sql`multiples`),
    ...named('string', sql`strings`),
    ...named('json', sql`objects`),
  ]
}

/** Amounts, and then the numbers in the data. */
function continuousOf(lists: ReadonlyMap<Family, Sql>): Sql[] {
  const [amounts, inData] = [lists.get('amount'), lists.get('numeric/continuous')]
  const all = [...(amounts ? [amounts] : []), ...(inData ? [numbersOf(inData)] : [])]
  return all.length === 0 ? [] : [sql`arrayConcat(${join(all)}) AS continuous`]
}

/** The value of a slot, which is at another path for each step. The engine evaluates the branches lazily. */
function valueAt(slot: SlotPaths, isAmount: boolean, steps: number): Sql {
  const none = isAmount ? sql`nan` : sql`''`
  const branches = slot.map(({ path, steps }) => {
    const { column, json } = attributePlace(path)
    return { keys: steps, value: isAmount && column ? amountIn(column) : json }
  })
  const [first] = branches
  if (branches.length === 1 && first?.keys.length === steps) return first.value
  return sql`multiIf(${join(branches.map(({ keys, value }) => sql`has(${texts(keys)}, step_key), ${value}`))}, ${none})`
}

/**
 * Zero of most amounts means that nothing is known of them, and that a span has none is not written. Errors are counted
 * on every span: without the zeros, one failure in four would be a mean of 1.
 */
const amountIn = ({ key, column }: AttributeColumn): Sql =>
  key === 'ag.metrics.errors.cumulative' ? sql`toFloat64(${column})` : sql`if(${column} = 0, nan, toFloat64(${column}))`

/** Numbers of JSON values. */
const numbersOf = (list: Sql): Sql => sql`arrayMap(json -> ifNull(${numberIn(sql`json`)}, nan), ${list})`

/** The rows of the measures, by type, of the lists of `valuesOf`. */
function measuresOf(families: Families): Sql[] {
  const columns: [Measure, Sql][] = [
    ['numeric/continuous', compileMeasuresOfLists('numeric/continuous', gathered(sql`continuous`))],
    ['numeric/discrete', compileMeasuresOfLists('numeric/discrete', gathered(numbersOf(sql`discrete`)))],
    ['binary', sql`arrayZip(${countOf('true')}, ${countOf('false')})`],
    ['categorical/single', labelsOf(sql`arrayMap(json -> [json], singles)`)],
    ['categorical/multiple', labelsOf(sql`arrayMap(json -> ${itemsIn(sql`json`)}, multiples)`)],
    ['string', sql`countIfForEach(arrayMap(json -> startsWith(json, '"'), strings))`],
    ['json', sql`countIfForEach(arrayMap(json -> startsWith(json, '{'), objects))`],
  ]
  const isThere = (type: Measure): boolean =>
    families.has(type) || (type === 'numeric/continuous' && families.has('amount'))
  return columns.flatMap(([type, column]) =>
    isThere(type) ? [sql`${column} AS ${identifier(MEASURE_COLUMNS[type])}`] : [],
  )
}

/** The column of each type in the rows of a statement. */
export const MEASURE_COLUMNS: Readonly<Record<Measure, string>> = {
  'numeric/continuous': 'of_continuous',
  'numeric/discrete': 'of_discrete',
  binary: 'of_binary',
  'categorical/single': 'of_single',
  'categorical/multiple': 'of_multiple',
  string: 'of_string',
  json: 'of_json',
}

const gathered = (numbers: Sql): Sql =>
  sql`groupArrayIfForEach(${numbers}, arrayMap(number -> NOT isNaN(number), ${numbers}))`

const countOf = (value: 'true' | 'false'): Sql => sql`countIfForEach(arrayMap(json -> json = ${text(value)}, booleans))`

/** The labels of a row, the most frequent ones, and the characters of each: those outside of an enum are any texts. */
const LABELS_MAX = 1_000
const LABEL_CHARACTERS_MAX = 500

/** How often each label occurs; `lists` has the JSON values of each slot. */
function labelsOf(lists: Sql): Sql {
  const label = sql`substringUTF8(JSONExtractString(json), 1, ${int(LABEL_CHARACTERS_MAX)})`
  const labels = sql`arrayMap(list -> arrayMap(json -> ${label}, arrayFilter(json -> startsWith(json, '"'), list)), ${lists})`
  const counts = sql`sumMapForEach(${labels}, arrayMap(list -> arrayWithConstant(length(list), toUInt64(1)), ${labels}))`
  const most = sql`arraySlice(arraySort(p -> (-toInt64(p.2), p.1), arrayZip(m.1, m.2)), 1, ${int(LABELS_MAX)})`
  const row = sql`(arrayMap(p -> p.1, most), arrayMap(p -> p.2, most), count)`
  return sql`arrayMap(m -> arrayMap((most, count) -> ${row}, [${most}], [arraySum(m.2)])[1], ${counts})`
}

/** The columns of a root span whose values are measured. */
export const AMOUNTS = sql`duration_cumulative, errors_cumulative, costs_cumulative_total, tokens_cumulative_total`

function measuredRows(places: CellPlaces, steps: readonly MeasuredStep[], readsData: boolean): Sql {
  const keys = steps.map(({ key }) => key)
  const data = readsData ? SPAN_DATA : sql`''`
  return sql`SELECT place, step_key, ${AMOUNTS}, ${data} AS ${SPAN_DATA}
FROM (SELECT trace_id, ${AMOUNTS}, ${data} AS ${SPAN_DATA} ${fromRoots(places.project_id, inCells(places, keys))}) AS s
INNER JOIN (${cellsOf(places, keys)}) AS c ON s.trace_id = c.trace_id`
}

const isStepIn = (keys: readonly string[]): Sql => sql`step_key IN (SELECT arrayJoin(${texts(keys)}))`

/** The versions of cells that may be of these places, by the table's key. */
function fromCells({ project_id, run_id, kind, among }: CellPlaces, final = sql``): Sql {
  const ofRun = sql`FROM evaluation_cells${final} WHERE project_id = ${uuid(project_id)} AND run_id = ${uuid(run_id)}`
  if (kind !== 'scenario') return ofRun
  return sql`${ofRun} AND scenario_id IN (SELECT toUUID(arrayJoin(${texts(among as readonly Uuid[])})))`
}

/** The trace ids of all versions of the cells: more than are needed, without finding the newest of each. */
const inCells = (places: CellPlaces, keys: readonly string[]): Sql =>
  sql`trace_id IN (SELECT trace_id ${fromCells(places)} AND ${isStepIn(keys)})`

/**
 * The cells: `place`, `step_key`, `trace_id`, `scenario_id`, `repeat_idx`. FINAL leaves the newest version of each: on
 * 300,000 cells in six parts 75 ms of processor time, `argMax` by id 190, and 520 if it takes a tuple.
 */
export function cellsOf(places: CellPlaces, keys: readonly string[]): Sql {
  const inBucket =
    places.kind === 'bucket'
      ? sql` AND toUnixTimestamp64Micro(timestamp) IN (SELECT arrayJoin(${ints(places.among as readonly number[])}))`
      : sql``
  return sql`SELECT ${PLACE_KEYS[places.kind]} AS place, step_key, trace_id, scenario_id, repeat_idx
${fromCells(places, sql` FINAL`)} AND NOT is_deleted AND trace_id != toFixedString('', 16) AND ${isStepIn(keys)}${inBucket}`
}

/** One row: `missing`, how many of the cells refer to a trace whose root is not stored. */
export function compileMissingTraces(places: CellPlaces, keys: readonly string[]): Sql {
  const stored = sql`SELECT trace_id ${fromRoots(places.project_id, inCells(places, keys))}`
  return sql`SELECT count() AS missing FROM (${cellsOf(places, keys)}) WHERE trace_id NOT IN (${stored}) ${CELL_SETTINGS}`
}

/** Cells of a step that are tried, in order, and traces whose outputs are returned. */
const CANDIDATES = 50
const SAMPLES = 5

/** Rows of `step_key` and `outputs` (JSON text): of each step, those of the first five stored traces that have any. */
export function compileSampleOutputs(run: Omit<CellPlaces, 'kind' | 'among'>, keys: readonly string[]): Sql {
  const places: CellPlaces = { ...run, kind: 'run', among: [] }
  const first = sql`SELECT step_key, trace_id, toString(scenario_id) AS scenario, repeat_idx FROM (${cellsOf(places, keys)})
  ORDER BY step_key, scenario, repeat_idx LIMIT ${int(CANDIDATES)} BY step_key`
  const outputs = sql`SELECT trace_id, JSONExtractRaw(${SPAN_DATA}, 'outputs') AS outputs
  ${fromRoots(run.project_id, sql`trace_id IN (SELECT trace_id FROM (${first}))`)}`
  return sql`SELECT step_key, outputs FROM (${outputs}) AS s INNER JOIN (${first}) AS c ON s.trace_id = c.trace_id
WHERE outputs NOT IN ('', 'null') ORDER BY step_key, scenario, repeat_idx LIMIT ${int(SAMPLES)} BY step_key ${CELL_SETTINGS}`
}

/** Rows of `step_key`, `scenario_id`, `repeat_idx` and `outputs` (JSON text) of the cells whose traces are stored. */
export function compileCellOutputs(run: Omit<CellPlaces, 'kind' | 'among'>, keys: readonly string[]): Sql {
  const places: CellPlaces = { ...run, kind: 'run', among: [] }
  const outputs = sql`SELECT trace_id, JSONExtractRaw(${SPAN_DATA}, 'outputs') AS outputs
  ${fromRoots(run.project_id, inCells(places, keys))}`
  return sql`SELECT step_key, toString(scenario_id) AS scenario_id, repeat_idx, outputs
FROM (${outputs}) AS s INNER JOIN (${cellsOf(places, keys)}) AS c ON s.trace_id = c.trace_id
WHERE outputs != '' ORDER BY scenario_id, repeat_idx ${CELL_SETTINGS}`
}
