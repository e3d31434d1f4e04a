import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { workflowsQuery } from '../api/registry/registry.ts'
import { isCommitted, testsetRevisionsQuery } from '../api/registry/testsets.ts'
import { controls } from '../parts/controls.tsx'
import type { Column } from './columns.ts'
import { listIn, type PlaygroundSearch, textOf } from './search.ts'

interface EvaluateLinkProps {
  columns: readonly Column[]
  testset: string
  search: PlaygroundSearch
}

/** Leads to a new evaluation of all testcases with what is committed of the columns, and the chosen evaluators. */
export function EvaluateLink({ columns, testset, search }: EvaluateLinkProps): ReactNode {
  const { data: revisions } = useQuery(testsetRevisionsQuery(testset))
  const { data: evaluators = [] } = useQuery(workflowsQuery('evaluator'))
  const chosen = evaluators.filter(({ id }) => listIn(search.evaluators).includes(id))
  const applications = new Set(columns.map(({ revision }) => revision.id))
  return (
    <Link
      className={controls.button}
      to="/evaluations/new"
      search={{
        testset: revisions?.find(isCommitted)?.id,
        applications: textOf([...applications]),
        evaluators: textOf(chosen.map(({ revision_id }) => `${revision_id}:auto`)),
      }}
    >
      Evaluate …
    </Link>
  )
}
