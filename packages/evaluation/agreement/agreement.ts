import { isJsonObject, type Json, type Uuid } from '@spanhouse/model'
import { type Engine, readCellOutputs } from '@spanhouse/span-store'
import type { RunRow } from '../entities/rows.ts'
import { copyRun } from '../metrics/copy.ts'
import { measuredStepsOf } from '../metrics/measured-steps.ts'
import { isHuman, stepsOf } from '../runs/run-data.ts'
import type { MetricType, SchemaLeaf } from '../runs/schema-leaves.ts'
import type { Scope } from '../scope.ts'
import { cohenKappa, fleissKappa, krippendorffAlpha, type Level, type Rating, type Units } from './coefficients.ts'

/**
 * The ratings of one output of a human evaluator, and how far they agree. Coefficients that do not exist are absent.
 */
export interface Agreement {
  type: MetricType
  /** Scenarios that at least two repeats have rated. */
  scenarios: number
  ratings: number
  level: Level
  krippendorff_alpha?: number
  /** Of exactly two raters. */
  cohen_kappa?: number
  fleiss_kappa?: number
}

interface Compared {
  level: Level
  isRating(value: Json | undefined): boolean
}

/** How values of a type are compared; texts, lists and objects are not. */
const COMPARED: Partial<Record<MetricType, Compared>> = {
  binary: { level: 'nominal', isRating: value => typeof value === 'boolean' },
  'categorical/single': { level: 'nominal', isRating: value => typeof value === 'string' },
  'numeric/continuous': { level: 'interval', isRating: value => typeof value === 'number' },
  'numeric/discrete': { level: 'interval', isRating: value => typeof value === 'number' },
}

/**
 * The agreement between the annotators of a run's scenarios, by human step and output of its evaluator. A repeat is one
 * rater: the annotations of a lane of assignees count as one person's. Reads the stored annotations.
 */
export async function findAgreement(
  scope: Scope,
  engine: Engine,
  run: RunRow,
): Promise<Record<string, Record<string, Agreement>>> {
  const { project_id, db } = scope
  const human = new Set(stepsOf(run).flatMap(step => (isHuman(step) ? [step.key] : [])))
  if (human.size === 0) return {}
  await copyRun({ db, engine }, { project_id, id: run.id })
  const cells = await readCellOutputs(engine, { project_id, run_id: run.id }, [...human])
  const { steps } = await measuredStepsOf(scope, engine, run)
  return Object.fromEntries(
    steps.flatMap(({ step, leaves }) => {
      if (!human.has(step.key)) return []
      const own = cells.filter(({ step_key }) => step_key === step.key)
      return [[step.key, agreementsOf(own, leaves.filter(isOutput))]]
    }),
  )
}

const isOutput = ({ path }: SchemaLeaf): boolean => path[1] === 'data'

interface Rated {
  scenario_id: Uuid
  repeat_idx: number
  outputs: Json
}

function agreementsOf(cells: readonly Rated[], leaves: readonly SchemaLeaf[]): Record<string, Agreement> {
  return Object.fromEntries(
    leaves.flatMap(({ path, type }) => {
      const compared = COMPARED[type]
      if (!compared) return []
      const units = unitsOf(cells, outputs => {
        const value = at(outputs, path.slice(OUTPUTS))
        return compared.isRating(value) ? (value as Rating) : undefined
      })
      return [[`attributes.${path.join('.')}`, { type, ...agreementOf(units, compared.level) }]]
    }),
  )
}

/** Where the path of a metric goes on below the outputs: `ag.data.outputs`. */
const OUTPUTS = 3

const at = (value: Json | undefined, path: readonly string[]): Json | undefined =>
  path.reduce<Json | undefined>((found, key) => (isJsonObject(found) ? found[key] : undefined), value)

/** The scenarios that were rated twice at least, with a place for each repeat that has rated any. */
function unitsOf(cells: readonly Rated[], ratingOf: (outputs: Json) => Rating | undefined): Units {
  const raters = [...new Set(cells.map(({ repeat_idx }) => repeat_idx))].sort((one, other) => one - other)
  const units = new Map<Uuid, (Rating | undefined)[]>()
  for (const { scenario_id, repeat_idx, outputs } of cells) {
    const unit = units.get(scenario_id) ?? raters.map(() => undefined)
    unit[raters.indexOf(repeat_idx)] = ratingOf(outputs)
    units.set(scenario_id, unit)
  }
  return [...units.values()].filter(unit => unit.filter(one => one !== undefined).length > 1)
}

function agreementOf(units: Units, level: Level): Omit<Agreement, 'type'> {
  const ratings = units.flat().filter(one => one !== undefined).length
  const raters = units[0]?.length ?? 0
  const isNominal = level === 'nominal'
  const coefficients = {
    krippendorff_alpha: krippendorffAlpha(units, level),
    cohen_kappa: isNominal && raters === 2 ? cohenKappa(units) : undefined,
    fleiss_kappa: isNominal ? fleissKappa(units) : undefined,
  }
  const existing = Object.entries(coefficients).filter(([, value]) => value !== undefined)
  return { scenarios: units.length, ratings, level, ...Object.fromEntries(existing) }
}
