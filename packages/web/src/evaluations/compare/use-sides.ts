import { useQueries } from '@tanstack/react-query'
import { type ComparedCase, type Comparison, casesByIdQuery, type Run } from '../../api/evaluations.ts'
import type { CompareSearch } from '../search.ts'
import { atRepeat, type CaseModel, modelOf } from '../table/case-model.ts'
import { useExpectedKeys } from '../table/expected-keys.ts'

/** What both sides of a case contain; undefined until it is read. */
export interface Sides {
  baseline: CaseModel | undefined
  candidate: CaseModel | undefined
}

/** What an output is compared with. */
export const comparedWith = ({ baseline, candidate }: Sides, diff: CompareSearch['diff']): string | undefined =>
  diff === 'baseline' ? (baseline?.output ?? '') : diff === 'expected' ? candidate?.expected : undefined

/** What the cells of both runs contain, page by page. */
export function useSides(
  baseline: Run,
  run: Run,
  pages: readonly Pick<Comparison, 'cases'>[],
): (row: ComparedCase) => Sides {
  const expectedKeys = useExpectedKeys(baseline)
  const idsOf = (side: 'baseline' | 'candidate') => (page: Pick<Comparison, 'cases'>) => [
    ...new Set(page.cases.map(one => one[side].scenario_id)),
  ]
  const read = (of: Run, ids: string[][]) => ids.map(scenario_ids => casesByIdQuery(of.id, scenario_ids))
  const rows = useQueries({
    queries: [...read(baseline, pages.map(idsOf('baseline'))), ...read(run, pages.map(idsOf('candidate')))],
    combine: results =>
      new Map(results.flatMap(({ data }) => data?.cases ?? []).map(row => [row.scenario_id, row] as const)),
  })
  const modelAt = (of: Run, id: string, repeat: number): CaseModel | undefined => {
    const row = rows.get(id)
    return row && modelOf(of, atRepeat(row, repeat), expectedKeys)
  }
  return ({ baseline: one, candidate: other, repeat_idx }) => ({
    baseline: modelAt(baseline, one.scenario_id, repeat_idx),
    candidate: modelAt(run, other.scenario_id, repeat_idx),
  })
}
