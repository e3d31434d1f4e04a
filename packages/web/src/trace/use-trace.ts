import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useMemo } from 'react'
import { isMalformed } from '../api/api-error.ts'
import { serverAheadMs } from '../api/clock.ts'
import { type Skeleton, skeletonQuery } from '../api/queries.ts'
import { type Trace, traceOf } from './trace-model.ts'

/** A trace that ended this recently may still grow … */
const FRESH_MS = 60_000
const LOOK_MS = 2_000
/** … and is read again while it is not large. */
const LIVE_SPANS_MAX = 10_000

interface Read {
  /** Undefined until its first window is here. */
  trace: Trace | undefined
  error: Error | null
  /** The project has no such trace yet, or the id cannot be one. */
  missing: 'absent' | 'malformed' | undefined
}

/** Reads a trace window by window, and again while it grows. */
export function useTrace(traceId: string): Read {
  const query = useInfiniteQuery({
    ...skeletonQuery(traceId),
    refetchInterval: ({ state }) => (mayGrow(state.data?.pages) ? LOOK_MS : false),
  })
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = query
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])
  // A tree is made of the first window, then of two, then of all: not of each more.
  const pages = data?.pages
  const used = pages && (hasNextPage ? pages.slice(0, 2) : pages)
  const count = used?.length
  // biome-ignore lint/correctness/useExhaustiveDependencies: the pages that are used change with these
  const trace = useMemo(() => (used?.[0]?.count ? traceOf(used) : undefined), [count, count === pages?.length && pages])
  if (isMalformed(query.error)) return { trace, error: null, missing: 'malformed' }
  return { trace, error: query.error, missing: pages?.[0]?.count === 0 ? 'absent' : undefined }
}

function mayGrow(pages: readonly Skeleton[] | undefined): boolean {
  const [first] = pages ?? []
  // Its first spans may be on their way.
  if (!first?.began_at) return first !== undefined
  const now = Date.now() + serverAheadMs()
  return first.total < LIVE_SPANS_MAX && pages?.some(page => now - lastEndOf(page) < FRESH_MS) === true
}

const lastEndOf = ({ began_at = '', spans: { start, duration } }: Skeleton): number =>
  Date.parse(began_at) + start.reduce((latest, from, at) => Math.max(latest, from / 1000 + (duration[at] ?? 0)), 0)
