import type { TraceId, Uuid } from '@spanhouse/model'
import {
  type CellContent,
  compileCellContents,
  compileScoredScenarios,
  compileScoreSummaries,
  printSql,
  type RunScore,
} from '@spanhouse/query'
import type { Engine } from '../engine/engine.ts'

/** How the values of a score are distributed. */
export interface NumberSummary {
  count: number
  bins: { from: number; to: number; count: number }[]
  /** The means of scenarios, which have several values if there are repeats. */
  cases: {
    count: number
    mean: number
    /** Of a sample: the sum of squares is divided by one less than the count. */
    deviation: number
  }
}

/** What the traces of a run add up to; both lists are in the order of the scores. */
export interface ScoreSummaries {
  /** USD. */
  costs: number
  numbers: NumberSummary[]
  words: WordSummary[]
}

/** How often words occur: how many cells have any, and the most frequent ones. */
export interface WordSummary {
  count: number
  most: { word: string; count: number }[]
}

interface SummaryRow {
  costs: number
  numbers: [count: number, bins: [from: number, to: number, count: number][]][]
  cases: [count: number, mean: number, deviation: number][]
  words: [count: number, most: [word: string, count: number][]][]
}

/** Reads how scores are distributed, and what all steps `keys` of the run have cost. */
export async function readScoreSummaries(
  engine: Engine,
  run: { project_id: Uuid; run_id: Uuid },
  { scores, keys }: { scores: readonly RunScore[]; keys: readonly string[] },
): Promise<ScoreSummaries> {
  const [row] = await engine.rows<SummaryRow>(printSql(compileScoreSummaries(run, scores, keys)))
  return {
    costs: row?.costs ?? 0,
    numbers: (row?.numbers ?? []).map(([count, bins], index) => ({
      count,
      bins: bins.map(([from, to, count]) => ({ from, to, count })),
      cases: sampleOf(row?.cases[index]),
    })),
    words: (row?.words ?? []).map(([count, most]) => ({ count, most: most.map(([word, count]) => ({ word, count })) })),
  }
}

const sampleOf = ([count, mean, deviation]: SummaryRow['cases'][number] = [0, 0, 0]): NumberSummary['cases'] => ({
  count,
  mean,
  deviation,
})

/** The ids of the scenarios with a sought value of a score, in the order of their values. */
export async function readScoredScenarios(
  engine: Engine,
  run: { project_id: Uuid; run_id: Uuid },
  { score, ...asked }: { score: RunScore } & Parameters<typeof compileScoredScenarios>[2],
): Promise<Uuid[]> {
  const rows = await engine.rows<{ id: Uuid }>(printSql(compileScoredScenarios(run, score, asked)))
  return rows.map(({ id }) => id)
}

type ContentRow = Omit<CellContent, 'trace_id' | 'span_id'> & { id: TraceId; span: string }

/** What the root spans of traces contain, by trace. Traces that are not stored are left out. */
export async function readCellContents(
  engine: Engine,
  project_id: Uuid,
  trace_ids: readonly TraceId[],
): Promise<Map<TraceId, CellContent>> {
  if (trace_ids.length === 0) return new Map()
  const rows = await engine.rows<ContentRow>(printSql(compileCellContents(project_id, trace_ids)))
  return new Map(rows.map(({ id, span, ...row }) => [id, { ...row, trace_id: id, span_id: span }]))
}
