import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { isMalformed } from '../api/api-error.ts'
import { serverAheadMs } from '../api/clock.ts'
import { type Skeleton, skeletonQuery } from '../api/queries.ts'
import { type Trace, traceOf } from './trace-model.ts'

/**
 * A trace may grow at any time, so it is read again: this often within a minute after it ended and up to so many spans,
 * and the less often, the longer ago that is and the more spans there are.
 */
const LOOK_MS = { least: 2_000, most: 3_600_000 }
const FRESH_MS = 60_000
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
    refetchInterval: ({ state }) => lookMs(state.data?.pages, state.dataUpdatedAt),
  })
  const { data, hasNextPage, isFetchingNextPage, fetchNextPage } = query
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage) void fetchNextPage()
  }, [hasNextPage, isFetchingNextPage, fetchNextPage])
  const pages = data?.pages
  const isWhole = pages !== undefined && !hasNextPage
  // One that was whole stays so while it grows.
  const [whole, setWhole] = useState<string>()
  if (isWhole && whole !== traceId) setWhole(traceId)
  // A tree is made of the first window, then of two, then of all: not of each more.
  const used = isWhole || whole === traceId ? pages : pages?.slice(0, 2)
  const count = used?.length
  // biome-ignore lint/correctness/useExhaustiveDependencies: the pages that are used change with these
  const trace = useMemo(() => (used?.[0]?.count ? traceOf(used) : undefined), [count, count === pages?.length && pages])
  if (isMalformed(query.error)) return { trace, error: null, missing: 'malformed' }
  return { trace, error: query.error, missing: pages?.[0]?.count === 0 ? 'absent' : undefined }
}

/** How long after it was read a trace is read again. */
function lookMs(pages: readonly Skeleton[] | undefined, readAt: number): number | false {
  const [first] = pages ?? []
  if (pages === undefined || first === undefined) return false
  // Its first spans may be on their way.
  if (!first.began_at) return LOOK_MS.least
  const agoMs = readAt + serverAheadMs() - Math.max(...pages.map(lastEndOf))
  const times = Math.max(1, agoMs / FRESH_MS, first.total / LIVE_SPANS_MAX)
  return Math.min(LOOK_MS.most, LOOK_MS.least * times)
}

const lastEndOf = ({ began_at = '', spans: { start, duration } }: Skeleton): number =>
  Date.parse(began_at) + start.reduce((latest, from, at) => Math.max(latest, from / 1000 + (duration[at] ?? 0)), 0)
