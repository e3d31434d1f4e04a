import { isJsonObject, type JsonObject, type Uuid } from '@spanhouse/model'
import { findRevision, inTransaction, KINDS } from '@spanhouse/registry'
import { type Engine, readSampleOutputs } from '@spanhouse/span-store'
import type { RunRow } from '../entities/rows.ts'
import { lockRuns } from '../runs/guard.ts'
import { outputMappings, PLACEHOLDER_PATH } from '../runs/mappings.ts'
import { type RunData, type Step, stepsOf } from '../runs/run-data.ts'
import { editLockedRun } from '../runs/runs.ts'
import { type SchemaLeaf, schemaLeaves } from '../runs/schema-leaves.ts'
import { registryScope, type Scope } from '../scope.ts'
import { copyRun } from './copy.ts'
import { inferSchema } from './infer-schema.ts'

/** A step that leaves traces, and its metrics in the order in which they are shown. */
export interface StepMetrics {
  step: Step
  leaves: SchemaLeaf[]
}

const metric = (name: string): SchemaLeaf => ({
  path: ['ag', 'metrics', ...name.split('.')],
  type: 'numeric/continuous',
})
const DEFAULTS = ['duration.cumulative', 'errors.cumulative', 'costs.cumulative.total', 'tokens.cumulative.total'].map(
  metric,
)
const OUTPUTS = ['ag', 'data', 'outputs']

/** What of a run is measured. */
export interface MeasuredSteps {
  steps: StepMetrics[]
  /** The output schemas, by step, that were inferred because the evaluators declare none. */
  inferred: Map<string, JsonObject>
}

/**
 * The steps of a run that leave traces, with four metrics each, and one for each leaf of an evaluator's output schema.
 * A schema that neither the revision nor the step has is inferred from traces.
 */
export async function measuredStepsOf(scope: Scope, engine: Engine, run: RunRow): Promise<MeasuredSteps> {
  const steps = stepsOf(run).filter(({ type }) => type !== 'input')
  const known = new Map<string, JsonObject | undefined>()
  for (const step of steps) if (step.type === 'annotation') known.set(step.key, await schemaOf(scope, step))
  const without = [...known].flatMap(([key, schema]) => (schema ? [] : [key]))
  const inferred = await inferSchemas(scope, { engine, run, keys: without })
  const measured = steps.map(step => {
    const outputs = schemaLeaves(known.get(step.key) ?? inferred.get(step.key))
    const leaves = outputs.map(({ path, type }) => ({ path: [...OUTPUTS, ...path], type }))
    return { step, leaves: [...DEFAULTS, ...leaves] }
  })
  return { steps: measured, inferred }
}

/** The output schema that an evaluator declares, otherwise the one that was inferred earlier. */
async function schemaOf(scope: Scope, step: Step): Promise<JsonObject | undefined> {
  const id = step.references.evaluator_revision?.id
  const revision = id && (await findRevision(registryScope(scope, KINDS.evaluator), { revision: { id } }))
  const schemas = revision ? revision.data?.schemas : undefined
  const declared = isJsonObject(schemas) ? schemas.outputs : undefined
  return isJsonObject(declared) ? declared : step.schemas?.outputs
}

interface Inference {
  engine: Engine
  run: RunRow
  keys: readonly string[]
}

async function inferSchemas(scope: Scope, { engine, run, keys }: Inference): Promise<Map<string, JsonObject>> {
  if (keys.length === 0) return new Map()
  await copyRun({ db: scope.db, engine }, { project_id: scope.project_id, id: run.id })
  const samples = await readSampleOutputs(engine, { project_id: scope.project_id, run_id: run.id }, keys)
  return new Map([...samples].map(([key, values]) => [key, inferSchema(values)]))
}

/**
 * Stores inferred schemas in steps that have none yet, and replaces the columns that stood in for their outputs. Closed
 * runs stay as they are.
 */
export async function storeSchemas(
  scope: Scope,
  run_id: Uuid,
  schemas: ReadonlyMap<string, JsonObject>,
): Promise<void> {
  if (schemas.size === 0) return
  await inTransaction(scope, async inside => {
    const run = (await lockRuns(inside, [run_id], 'change')).get(run_id)
    if (!run?.data || run.flags.is_closed) return
    const data = withSchemas(run.data, schemas)
    if (data !== run.data) await editLockedRun(inside, run, { data })
  })
}

function withSchemas(data: RunData, schemas: ReadonlyMap<string, JsonObject>): RunData {
  const changed = new Map<string, Step>()
  for (const step of data.steps ?? []) {
    const outputs = schemas.get(step.key)
    if (outputs && !step.schemas?.outputs) changed.set(step.key, { ...step, schemas: { outputs } })
  }
  if (changed.size === 0) return data
  const steps = data.steps?.map(step => changed.get(step.key) ?? step)
  const mappings = data.mappings?.flatMap(one => {
    const step = one.step.path === PLACEHOLDER_PATH ? changed.get(one.step.key) : undefined
    return step ? outputMappings(step, { schemas: step.schemas as JsonObject }) : [one]
  })
  return { ...data, steps, mappings }
}
