import type { TraceId, Uuid } from '@spanhouse/model'
import {
  type ComparedCasesPage,
  type ComparedPair,
  compileComparedCases,
  compileComparison,
  printSql,
} from '@spanhouse/query'
import type { Engine } from '../engine/engine.ts'

/** What two runs have in common. */
export interface Comparison {
  /** Cases of both runs, each with its repeats. */
  matched: number
  /**
   * For each score the values of all cases that have one in both runs, or the means of repeats: [baseline, candidate].
   */
  pairs: [number, number][][]
}

/** Matches the cases of two runs and reads their values. */
export async function readComparison(engine: Engine, pair: ComparedPair): Promise<Comparison> {
  const [row] = await engine.rows<Comparison>(printSql(compileComparison(pair)))
  return row ?? { matched: 0, pairs: pair.baseline.scores.map(() => []) }
}

/** One side of a matched case. Trace ids are empty where there is none. */
export interface CaseSide {
  scenario_id: Uuid
  /** The trace that was evaluated. */
  trace_id: TraceId
  /** For each score its value, and the trace that it is of. */
  values: (number | null)[]
  trace_ids: TraceId[]
}

/** A case of both runs. */
export interface ComparedCase {
  /** The id of a testcase, or of a source trace. */
  case_id: string
  is_testcase: boolean
  repeat_idx: number
  baseline: CaseSide
  candidate: CaseSide
}

type SideRow = [scenario_id: Uuid, trace_id: TraceId, values: (number | null)[], trace_ids: TraceId[]]
type CaseRow = Omit<ComparedCase, 'baseline' | 'candidate'> & { baseline: SideRow; candidate: SideRow }

/** A page of matched cases, those first in which the candidate is worst compared to the baseline by one score. */
export async function readComparedCases(
  engine: Engine,
  pair: ComparedPair,
  page: ComparedCasesPage,
): Promise<ComparedCase[]> {
  const rows = await engine.rows<CaseRow>(printSql(compileComparedCases(pair, page)))
  return rows.map(row => ({ ...row, baseline: sideOf(row.baseline), candidate: sideOf(row.candidate) }))
}

const sideOf = ([scenario_id, trace_id, values, trace_ids]: SideRow): CaseSide => ({
  scenario_id,
  trace_id: realTrace(trace_id),
  values,
  trace_ids: trace_ids.map(realTrace),
})

const realTrace = (id: TraceId): TraceId => (/^0*$/.test(id) ? '' : id)
