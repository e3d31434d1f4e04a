import type { Json, JsonObject, Uuid } from '@spanhouse/model'
import { KINDS, testcaseRowsOf, toTestcaseJson } from '@spanhouse/registry'
import type { RunRow } from '../entities/rows.ts'
import { stepsOf } from '../runs/run-data.ts'
import { registryScope } from '../scope.ts'
import type { StoredCell } from './claims.ts'
import type { EngineParts, SpanPlace, StoredTrace } from './doors.ts'
import { shownReferences } from './plan-steps.ts'
import { asTraceId } from './trace-ids.ts'

/** The source of a scenario, a testcase or a trace, and the inputs that its calls take from it. */
export interface LoadedSource {
  step_key: string
  testcase_id: Uuid | undefined
  references: JsonObject
  inputs: JsonObject | undefined
  outputs: Json | undefined
  testcase: JsonObject | undefined
  trace: JsonObject | undefined
  /** The root of a source trace. */
  place: SpanPlace | undefined
  /** Why nothing can be called: the testcase or the trace is gone. */
  missing: string | undefined
}

/** The input cell that says what a scenario comes from; undefined for a scenario without a source. */
export function inputCellOf(run: RunRow, cells: readonly StoredCell[]): StoredCell | undefined {
  const inputs = new Set(stepsOf(run).flatMap(({ key, type }) => (type === 'input' ? [key] : [])))
  return cells.find(
    ({ step_key, testcase_id, trace_id }) => inputs.has(step_key) && (testcase_id !== null || trace_id !== null),
  )
}

/** The testcases of input cells, by their ids. Those that are gone are left out. */
export async function readTestcases(
  { db, runtime }: EngineParts,
  project_id: Uuid,
  cells: readonly StoredCell[],
): Promise<Map<Uuid, JsonObject>> {
  const testcase_ids = [...new Set(cells.flatMap(({ testcase_id }) => testcase_id ?? []))]
  if (testcase_ids.length === 0) return new Map()
  const scope = registryScope({ db, runtime, project_id, user_id: null }, KINDS.testset)
  const rows = await testcaseRowsOf(scope, { testcase_ids })
  return new Map(rows.map(row => [row.id, toTestcaseJson(row)]))
}

/** What an input cell leads to. */
export function sourceOf(
  run: RunRow,
  { step_key, testcase_id, trace_id }: StoredCell,
  stored: { testcases: ReadonlyMap<Uuid, JsonObject>; traces: ReadonlyMap<string, StoredTrace> },
): LoadedSource {
  const step = stepsOf(run).find(({ key }) => key === step_key)
  const references = shownReferences(step?.references ?? {})
  const nothing = { inputs: undefined, outputs: undefined, testcase: undefined, trace: undefined, place: undefined }
  const source = { step_key, testcase_id: testcase_id ?? undefined, references, ...nothing, missing: undefined }
  if (testcase_id !== null) return ofTestcase(source, testcase_id, stored.testcases.get(testcase_id))
  return ofTrace(source, trace_id as Uuid, stored.traces.get(asTraceId(trace_id as Uuid)))
}

function ofTestcase(source: LoadedSource, id: Uuid, testcase: JsonObject | undefined): LoadedSource {
  if (!testcase) return { ...source, missing: `The testcase ${id} does not exist.` }
  const inputs = { ...(testcase.data as JsonObject), testcase_id: id }
  return { ...source, testcase, inputs, references: { ...source.references, testcase: { id } } }
}

function ofTrace(source: LoadedSource, id: Uuid, found: StoredTrace | undefined): LoadedSource {
  if (!found) return { ...source, missing: `The trace ${asTraceId(id)} is not stored: it never was, or was deleted.` }
  const { inputs, outputs, trace, place } = found
  return { ...source, inputs, outputs, trace, place }
}
