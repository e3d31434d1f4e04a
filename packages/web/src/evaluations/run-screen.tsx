import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { api } from '../api/client.ts'
import { visible } from '../format/format.ts'
import styles from '../frame/frame.module.css'
import { Failure } from '../parts/controls.tsx'

interface RunAnswer {
  run?: { id: string; name?: string; description?: string; status?: string; created_at?: string }
}

/** What a link to the results of an evaluation run opens. */
export function RunScreen(): ReactNode {
  const { run } = useParams({ from: '/$workspace/p/$project/evaluations/results/$run' })
  const { data, error } = useQuery({
    queryKey: ['run', run],
    queryFn: ({ signal }) => api<RunAnswer>(`/evaluations/runs/${encodeURIComponent(run)}`, { signal }),
  })
  return (
    <div className={styles.page}>
      <h1>Evaluation run {data?.run?.name ? visible(data.run.name) : run}</h1>
      {error && <Failure what="The run cannot be shown." error={error} />}
      {data && !data.run && <p>This project has no run with this id. It may have been deleted.</p>}
      {data?.run && (
        <p>
          Status: {data.run.status ?? 'unknown'}. Its scenarios and metrics are at{' '}
          <code>POST /api/evaluations/scenarios/query</code> and <code>/api/evaluations/metrics/query</code>.
        </p>
      )}
      <p>
        <Link to="/traces" search={{ q: 'kind:annotation' }}>
          Traces of evaluators
        </Link>
      </p>
    </div>
  )
}
