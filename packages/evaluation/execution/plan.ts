import type { RunRow } from '../entities/rows.ts'
import { repeatsOf, stepsOf } from '../runs/run-data.ts'

/** A cell that a scenario is to have. */
export interface PlannedCell {
  step_key: string
  repeat_idx: number
  /**
   * `source`: where the scenario comes from; `execute`: the server writes it; `wait`: a person or another client does.
   */
  does: 'source' | 'execute' | 'wait'
}

/**
 * The cells of one scenario in the order in which they are carried out (sections 3.4 and 3.7 of the interface): its own
 * source once for each repeat, then the applications, then the evaluators. An application before evaluators runs once,
 * and all repeats of these read it, unless the run is split.
 */
export function planCells(run: Pick<RunRow, 'data' | 'flags'>, sourceKey: string): PlannedCell[] {
  const steps = stepsOf(run)
  const repeats = repeatsOf(run)
  const isOnce = steps.some(({ type }) => type === 'annotation') && !run.flags.is_split
  const of = (type: string) => steps.filter(step => step.type === type)
  const cells = (step_key: string, count: number, does: PlannedCell['does']): PlannedCell[] =>
    Array.from({ length: count }, (_, repeat_idx) => ({ step_key, repeat_idx, does }))
  return [
    ...cells(sourceKey, repeats, 'source'),
    ...of('invocation').flatMap(({ key }) => cells(key, isOnce ? 1 : repeats, 'execute')),
    ...of('annotation').flatMap(({ key, origin }) => cells(key, repeats, origin === 'auto' ? 'execute' : 'wait')),
  ]
}

/** Cells that say where a scenario comes from; one has those of its own source. */
export const planSources = (run: Pick<RunRow, 'data' | 'flags'>): PlannedCell[] =>
  stepsOf(run)
    .filter(({ type }) => type === 'input')
    .flatMap(({ key }) => planCells(run, key).filter(({ does }) => does === 'source'))

/** The cells that do not depend on where a scenario comes from. */
export const planWork = (run: Pick<RunRow, 'data' | 'flags'>): PlannedCell[] =>
  planCells(run, '').filter(({ does }) => does !== 'source')

/** Which cells of a run are meant: a member that is left out means all, an empty one nothing. */
export interface Slice {
  scenario_ids?: string[]
  step_keys?: string[]
  repeat_idxs?: number[]
}

export const isEmptySlice = ({ scenario_ids, step_keys, repeat_idxs }: Slice): boolean =>
  [scenario_ids, step_keys, repeat_idxs].some(one => one?.length === 0)

export const isInSlice = ({ step_keys, repeat_idxs }: Slice, cell: PlannedCell): boolean =>
  (step_keys?.includes(cell.step_key) ?? true) && (repeat_idxs?.includes(cell.repeat_idx) ?? true)
