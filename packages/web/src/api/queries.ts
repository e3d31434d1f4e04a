import type {
  FacetCounts,
  Parts,
  PreviewList,
  Row,
  RowCount,
  RowGroups,
  RowPage,
  Skeleton,
} from '@spanhouse/server/routes/web/answers.ts'
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, post } from './client.ts'
import type { ListBody } from './filtering.ts'
import { skeletonPath } from './skeleton-path.ts'

export type {
  FacetCounts,
  Parts,
  PreviewList,
  Row,
  RowCount,
  RowGroups,
  RowPage,
  Skeleton,
} from '@spanhouse/server/routes/web/answers.ts'

/** Of the first page: what a window shows and a little more, since it takes as long as it has rows. */
export const FIRST_ROWS = 50
const ROWS_PER_PAGE = 100

export type OrderBy = 'time' | 'duration' | 'tokens' | 'costs'

type PageOf = Partial<Pick<RowPage, 'windowing' | 'after'>> & { limit: number }

/** Says in which window rows are read: one that ends now ends later each time. */
type WindowNow = () => ListBody['windowing']

/** The time after which a list that nothing watches is read again when it is shown again. */
const UNWATCHED_MS = 60_000
/** How long Back shows a list with all the pages that it had, after a trace was read. */
const LEFT_MS = 30 * 60_000

/**
 * The pages of a list so far. They are named by `body`, which stays while the list does, and read in the window of the
 * moment.
 */
export const rowsQuery = (body: ListBody, order_by: OrderBy, windowNow: WindowNow) =>
  infiniteQueryOptions({
    queryKey: ['rows', body, order_by],
    initialPageParam: { limit: FIRST_ROWS } as PageOf,
    queryFn: ({ pageParam, signal }) =>
      readRows({ ...body, order_by }, { ...pageParam, windowing: pageParam.windowing ?? windowNow() }, signal),
    getNextPageParam: ({ windowing, after }: RowPage): PageOf | undefined =>
      windowing || after ? { windowing, after, limit: ROWS_PER_PAGE } : undefined,
    placeholderData: keepPreviousData,
    staleTime: order_by === 'time' ? Number.POSITIVE_INFINITY : UNWATCHED_MS,
    gcTime: LEFT_MS,
  })

type RowsBody = ListBody & { order_by: OrderBy }

async function readRows(body: RowsBody, { windowing, after, limit }: PageOf, signal: AbortSignal): Promise<RowPage> {
  const asked = { ...body, after, windowing: { ...windowing, limit }, previews: false }
  const page = await post<RowPage>('/spans/rows', asked, signal)
  // The pages that follow are of the same window.
  return page.after ? { ...page, windowing: page.windowing ?? windowing } : page
}

/** Whether it failed itself, or an exception is in it or below it. A child that failed without one is not known of. */
export const isFailed = ({ errors = 0, status_code }: Row): boolean => errors > 0 || status_code === 'STATUS_CODE_ERROR'

export type Preview = PreviewList['previews'][number]

/**
 * What some rows say, and their values of the attributes that are columns. It is read again when one of the rows grows.
 */
export const previewsQuery = (rows: readonly Row[], attributes: readonly string[]) =>
  queryOptions({
    queryKey: ['previews', attributes, rows.map(row => [row.trace_id, row.span_id, row.duration, row.tokens])],
    queryFn: ({ signal }) => {
      const spans = rows.map(({ trace_id, span_id, parent_id, start_time }) => ({
        trace_id,
        span_id,
        parent_id,
        start_time,
      }))
      return post<PreviewList>('/spans/previews', { spans, attributes }, signal)
    },
    placeholderData: keepPreviousData,
    staleTime: Number.POSITIVE_INFINITY,
  })

/** The newest rows, asked for again and again to tell of what has arrived. */
export const newestQuery = (body: ListBody, everyMs: number | false, windowNow: WindowNow) =>
  queryOptions({
    queryKey: ['newest', body],
    queryFn: ({ signal }) =>
      readRows({ ...body, order_by: 'time' }, { windowing: windowNow(), limit: FIRST_ROWS }, signal),
    refetchInterval: everyMs,
    staleTime: 0,
    gcTime: 0,
  })

export const countQuery = (body: ListBody, buckets: number) =>
  queryOptions({
    queryKey: ['count', body, buckets],
    queryFn: ({ signal }) => post<RowCount>('/spans/count', { ...body, buckets }, signal),
    placeholderData: keepPreviousData,
  })

export type Group = RowGroups['groups'][number]

/** What groups are made of; see `POST /spans/groups`. */
export interface Grouping {
  by?: string
  buckets?: number
  amounts?: 'own'
  order_by?: 'count' | 'errors' | 'tokens' | 'costs' | 'p50' | 'p95' | 'last'
  values?: number
  count_min?: number
}

export const groupsQuery = (body: ListBody, grouping: Grouping) =>
  queryOptions({
    queryKey: ['groups', body, grouping],
    queryFn: ({ signal }) => post<RowGroups>('/spans/groups', { ...body, ...grouping }, signal),
    placeholderData: keepPreviousData,
  })

export const facetsQuery = (body: ListBody) =>
  queryOptions({
    queryKey: ['facets', body],
    queryFn: ({ signal }) => post<FacetCounts>('/spans/facets', body, signal),
    placeholderData: keepPreviousData,
  })

/** Whether the project has any span at all. */
export const anySpanQuery = (everyMs: number | false) =>
  queryOptions({
    queryKey: ['any span'],
    queryFn: ({ signal }) => {
      const body = { windowing: { limit: 1 }, previews: false }
      return post<RowPage>('/spans/rows', body, signal)
    },
    refetchInterval: everyMs,
  })

export interface Project {
  project_id: string
  project_name: string
  organization_id: string
  workspace_id: string
  /** The caller's role in the project. */
  user_role: string | null
}

export const projectQuery = queryOptions({
  queryKey: ['project'],
  queryFn: ({ signal }) => api<Project>('/projects/current', { signal }),
  staleTime: Number.POSITIVE_INFINITY,
})

export const skeletonQuery = (trace_id: string) =>
  infiniteQueryOptions({
    queryKey: ['skeleton', trace_id],
    initialPageParam: 0,
    queryFn: ({ pageParam: offset, signal }) => api<Skeleton>(skeletonPath(trace_id, offset), { signal }),
    getNextPageParam: ({ offset, count, total }: Skeleton): number | undefined =>
      offset + count < total && count > 0 ? offset + count : undefined,
  })

interface Reading {
  /** How long the span took: one that is sent again when it ends is read again. */
  ms?: number | undefined
  /** Long texts are read up to so many characters, or as many as the server responds with. */
  length?: number
}

/** The texts of a span. */
export const partsQuery = (trace_id: string, span_id: string, { ms, length }: Reading = {}) =>
  queryOptions({
    queryKey: ['parts', trace_id, span_id, length, ms],
    queryFn: ({ signal }) =>
      api<Parts>(`/spans/${trace_id}/${span_id}/parts${length === undefined ? '' : `?length=${length}`}`, { signal }),
    placeholderData: (before, query) => (query?.queryKey[2] === span_id ? before : undefined),
  })

/** The next range of a long text. */
export const readRange = (span: { trace_id: string; span_id: string }, part: string, offset: number): Promise<Parts> =>
  api(`/spans/${span.trace_id}/${span.span_id}/parts?part=${part}&offset=${offset}&length=500000`)
