import { type Json, parseJson, type Uuid } from '@spanhouse/model'
import {
  type CellPlaces,
  COST_MAX,
  compileCellMetrics,
  compileCellOutputs,
  compileMissingTraces,
  compileSampleOutputs,
  costOfStep,
  MEASURE_COLUMNS,
  type MeasuredStep,
  planSlots,
  printSql,
} from '@spanhouse/query'
import type { Engine } from '../engine/engine.ts'
import { type Statistics, statisticsOf } from '../engine/statistics.ts'

/** The metrics of one place: by step, and by the place of the measure in the step's list. */
export interface PlaceMetrics {
  /** Steps with at least one stored trace, by key. Undefined: no value of the measured type. */
  steps: Map<string, (Statistics | undefined)[]>
}

/** The size of one statement, see `costOf`. */
const STATEMENT_COST = COST_MAX / 4

/**
 * Measures the root spans of the cells' traces, by place: '' for a run, a scenario's id, or a bucket's start in
 * microseconds as text. Places without a stored trace are absent. Takes one statement, or several for very many
 * measures.
 */
export async function readCellMetrics(
  engine: Engine,
  places: CellPlaces,
  steps: readonly MeasuredStep[],
): Promise<Map<string, PlaceMetrics>> {
  const found = new Map<string, PlaceMetrics>()
  for (const some of statementsOf(steps)) {
    const rows = await engine.rows<MeasuredRow>(printSql(compileCellMetrics(places, some)))
    const { slotsOf } = planSlots(some)
    const slots = new Map(some.map(step => [step.key, slotsOf(step)]))
    for (const row of rows) {
      const metrics = found.get(row.place) ?? { steps: new Map() }
      found.set(row.place, metrics)
      const values = (slots.get(row.step_key) ?? []).map(({ type, at }) =>
        statisticsOf(type, row[MEASURE_COLUMNS[type]]?.[at], { edge: true }),
      )
      metrics.steps.set(row.step_key, [...(metrics.steps.get(row.step_key) ?? []), ...values])
    }
  }
  return found
}

/** With a list for each type of measure that the statement has, see `MEASURE_COLUMNS`. */
type MeasuredRow = { place: string; step_key: string } & Record<string, unknown[] | undefined>

/**
 * Steps in groups that one statement can measure; the measures of a very large step come in several parts, in order.
 */
function statementsOf(steps: readonly MeasuredStep[]): MeasuredStep[][] {
  const groups: MeasuredStep[][] = []
  let room = 0
  for (const part of steps.flatMap(partsOf)) {
    const cost = costOfStep(part)
    if (room < cost || groups.at(-1)?.some(({ key }) => key === part.key)) {
      groups.push([])
      room = STATEMENT_COST
    }
    groups.at(-1)?.push(part)
    room -= cost
  }
  return groups
}

const MEASURES_PER_PART = 16

function partsOf(step: MeasuredStep): MeasuredStep[] {
  const parts: MeasuredStep[] = []
  for (let at = 0; at < step.measures.length; at += MEASURES_PER_PART)
    parts.push({ ...step, measures: step.measures.slice(at, at + MEASURES_PER_PART) })
  return parts
}

/** How many cells of these steps at the places refer to a trace whose root is not stored. */
export async function countMissingTraces(engine: Engine, places: CellPlaces, keys: readonly string[]): Promise<number> {
  const [row] = await engine.rows<{ missing: number }>(printSql(compileMissingTraces(places, keys)))
  return row?.missing ?? 0
}

/** The outputs of the first five stored traces of each of these steps, by step. */
export async function readSampleOutputs(
  engine: Engine,
  run: { project_id: Uuid; run_id: Uuid },
  keys: readonly string[],
): Promise<Map<string, Json[]>> {
  const rows = await engine.rows<{ step_key: string; outputs: string }>(printSql(compileSampleOutputs(run, keys)))
  const samples = new Map<string, Json[]>()
  for (const { step_key, outputs } of rows)
    samples.set(step_key, [...(samples.get(step_key) ?? []), parseJson(outputs)])
  return samples
}

/** What the trace of a cell says. */
export interface CellOutputs {
  step_key: string
  scenario_id: Uuid
  repeat_idx: number
  outputs: Json
}

/** The outputs of the root spans that cells of these steps refer to, of those that are stored. */
export async function readCellOutputs(
  engine: Engine,
  run: { project_id: Uuid; run_id: Uuid },
  keys: readonly string[],
): Promise<CellOutputs[]> {
  const rows = await engine.rows<CellOutputs & { outputs: string }>(printSql(compileCellOutputs(run, keys)))
  return rows.map(row => ({ ...row, outputs: parseJson(row.outputs) }))
}
