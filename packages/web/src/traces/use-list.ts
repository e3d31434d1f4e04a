import { type InfiniteData, useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import type { ListBody } from '../api/filtering.ts'
import { newestQuery, type OrderBy, type Row, type RowPage, rowsQuery } from '../api/queries.ts'
import { queryClient } from '../api/query-client.ts'
import type { TracesSearch } from './search.ts'
import { windowNowOf } from './use-body.ts'

/** How often the server is asked for newer rows. */
const LOOK_MS = 1_500

export interface List {
  /** For what is counted: its window moves on. */
  body: ListBody
  rows: readonly Row[]
  /** Names the list that is shown; undefined while rows of the filter are on their way. */
  shown: string | undefined
  /** How many rows have arrived since the list was read, `FIRST_ROWS` or fewer; they are not in it yet. */
  arrived: number
  error: Error | null
  /** Nothing has been read yet, under any filter. */
  isFirst: boolean
  /** What is shown belongs to the previous filter. */
  isStale: boolean
  /**
   * Whether rows of this filter have been drawn, or cannot be. Counts and values are asked for only then: asked for
   * earlier, they delayed the rows and what these say (`DECISIONS.md`).
   */
  isSettled: boolean
  more: (() => void) | undefined
}

/**
 * The rows of a list, as they were when it was read: what arrives later is only counted, so that no row moves under the
 * pointer. Rows in the list change in place while their traces grow.
 */
export function useList({ body, listed }: { body: ListBody; listed: ListBody }, search: TracesSearch): List {
  const order: OrderBy = search.order ?? 'time'
  const windowNow = windowNowOf(search)
  const list = useInfiniteQuery(rowsQuery(listed, order, windowNow))
  const isRead = list.data !== undefined && !list.isPlaceholderData
  const name = JSON.stringify([listed, order])
  const isSettled = useDrawn(isRead || list.isError ? name : undefined)
  const isWatched = isRead && isSettled && order === 'time' && !search.to
  const newest = useQuery({ ...newestQuery(listed, LOOK_MS, windowNow), enabled: isWatched })
  const rows = useMemo(
    () => withNewer(list.data?.pages.flatMap(page => page.rows) ?? [], newest.data?.rows),
    [list.data, newest.data],
  )
  const known = new Set(rows.map(idOf))
  const arrived = isRead ? (newest.data?.rows.filter(row => !known.has(idOf(row))) ?? []) : []
  const oldest = rows.at(-1)?.start_time
  return {
    body,
    rows,
    shown: isRead ? name : undefined,
    // A row that is older than all shown ones has not arrived, but would be on a later page.
    arrived: arrived.filter(({ start_time }) => oldest === undefined || !list.hasNextPage || start_time >= oldest)
      .length,
    error: list.error,
    isFirst: list.isPending,
    isStale: list.isPlaceholderData,
    isSettled,
    more: list.hasNextPage && !list.isFetchingNextPage ? () => void list.fetchNextPage() : undefined,
  }
}

/** Whether a frame was drawn since a list is shown, given by its name. */
function useDrawn(shown: string | undefined): boolean {
  const [drawn, setDrawn] = useState<string>()
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    const frame = requestAnimationFrame(() => {
      timer = setTimeout(() => setDrawn(shown))
    })
    return () => {
      cancelAnimationFrame(frame)
      clearTimeout(timer)
    }
  }, [shown])
  return shown !== undefined && drawn === shown
}

function withNewer(rows: readonly Row[], newest: readonly Row[] = []): readonly Row[] {
  const newer = new Map(newest.map(row => [idOf(row), row]))
  return rows.map(row => newer.get(idOf(row)) ?? row)
}

export const idOf = ({ trace_id, span_id }: Pick<Row, 'trace_id' | 'span_id'>): string => `${trace_id}/${span_id}`

/** Reads the list that is shown again, with what has arrived: from its first page, whatever was read below. */
export async function showArrived(): Promise<void> {
  queryClient.setQueriesData<InfiniteData<RowPage>>(
    { queryKey: ['rows'], type: 'active' },
    data => data && { pages: data.pages.slice(0, 1), pageParams: data.pageParams.slice(0, 1) },
  )
  await queryClient.invalidateQueries({
    type: 'active',
    predicate: ({ queryKey }) => ['rows', 'count', 'facets'].includes(String(queryKey[0])),
  })
}
