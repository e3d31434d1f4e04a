import { useQueries } from '@tanstack/react-query'
import type { Run } from '../../api/evaluations.ts'
import { revisionQuery } from '../../api/registry/revisions.ts'
import { revisionOf, stepsOf } from './case-model.ts'

/** The members of testcases that the evaluators of a run compare outputs with, by their parameters. */
export function useExpectedKeys(run: Run | null | undefined): string[] {
  const ids = stepsOf(run).flatMap(step => (step.type === 'annotation' ? (revisionOf(step)?.id ?? []) : []))
  return useQueries({
    queries: ids.map(id => revisionQuery('evaluator', id)),
    combine: results => [
      ...new Set(
        results.flatMap(({ data }) => {
          const key = data?.data?.parameters?.correct_answer_key
          return typeof key === 'string' ? key : []
        }),
      ),
    ],
  })
}
