import { useParams, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { controls } from '../parts/controls.tsx'
import { useChangeOf } from '../parts/use-change-of.ts'
import type { TraceSearch } from '../traces/search.ts'
import { TraceView } from './trace-view.tsx'

/** A trace on a page of its own. */
export function TraceScreen(): ReactNode {
  const { traceId } = useParams({ from: '/traces/$traceId' })
  const search = useSearch({ from: '/traces/$traceId' })
  const change = useChangeOf<TraceSearch>()
  return (
    <>
      <h1 className={controls.hidden}>Trace</h1>
      <TraceView key={traceId} traceId={traceId} search={search} change={change} />
    </>
  )
}
