import { useNavigate, useParams, useSearch } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { TraceView } from './trace-view.tsx'

/** A trace on a page of its own. */
export function TraceScreen(): ReactNode {
  const { traceId } = useParams({ from: '/traces/$traceId' })
  const search = useSearch({ from: '/traces/$traceId' })
  const navigate = useNavigate({ from: '/traces/$traceId' })
  return (
    <TraceView
      key={traceId}
      traceId={traceId}
      search={search}
      change={(changes, { replace = false } = {}) =>
        void navigate({ search: before => ({ ...before, ...changes }), replace })
      }
    />
  )
}
