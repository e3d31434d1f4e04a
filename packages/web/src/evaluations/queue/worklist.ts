import { type CaseRow, type Queue, type Run, readCases, type Step } from '../../api/evaluations.ts'
import { readWorklist } from '../../api/queues.ts'
import { atRepeat, stepsOf } from '../table/case-model.ts'

/** A case that waits for the user in one repeat. */
export interface Item {
  id: string
  /** With the cells of the repeat. */
  row: CaseRow
  repeat_idx: number
}

export interface WorklistPage {
  items: Item[]
  next: object | undefined
}

/** The evaluators of a run that people carry out. */
export const humanSteps = (run: Run): Step[] =>
  stepsOf(run).filter(({ type, origin }) => type === 'annotation' && origin === 'human')

const PAGE = 25

/** The next cases that wait for a user; a page may be empty though others follow. */
export async function readItems(
  { queue, run, user_id }: { queue: Queue; run: Run; user_id: string },
  windowing: object | undefined,
  signal: AbortSignal,
): Promise<WorklistPage> {
  const asked = { user_id, windowing: windowing ?? { limit: PAGE } }
  const { scenarios, windowing: next } = await readWorklist(queue.id, asked, signal)
  const scenario_ids = scenarios.map(({ id }) => id)
  if (scenario_ids.length === 0) return { items: [], next }
  const { cases } = await readCases(run.id, { scenario_ids, limit: scenario_ids.length }, signal)
  const byId = new Map(cases.map(row => [row.scenario_id, row]))
  const repeats = repeatsOf(queue, run, user_id)
  const keys = humanSteps(run).map(({ key }) => key)
  const items = scenario_ids.flatMap(id => {
    const row = byId.get(id)
    if (!row) return []
    const open = repeats.filter(repeat => keys.some(key => isWaiting(row, key, repeat)))
    return open.map((repeat_idx): Item => {
      return { id: `${queue.id}.${id}.${repeat_idx}`, row: atRepeat(row, repeat_idx), repeat_idx }
    })
  })
  return { items, next }
}

/**
 * The repeats that a user annotates: those of the lanes they are in, without assignments all. A queue may have lanes of
 * repeats that its run no longer has.
 */
function repeatsOf({ data: { assignments } }: Queue, run: Run, user_id: string): number[] {
  const repeats = Array.from({ length: Math.max(1, run.data?.repeats ?? 1) }, (_, repeat) => repeat)
  return assignments ? repeats.filter(repeat => assignments[repeat]?.includes(user_id)) : repeats
}

const isWaiting = (row: CaseRow, key: string, repeat: number): boolean => {
  const cell = row.cells.find(({ step_key, repeat_idx }) => step_key === key && repeat_idx === repeat)
  return cell === undefined || ['pending', 'queued', 'running'].includes(cell.status)
}
