import { keepPreviousData, useQueries, useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { type Preview, type PreviewList, previewsQuery, type Row } from '../api/queries.ts'
import { type Annotation, annotationsQuery, byTrace } from '../api/scores.ts'
import { idOf } from './use-list.ts'

/** Rows whose scores are asked for at once: those that are visible are among two such parts. */
const SCORED = 100
/** How often they are asked for again: people and evaluators say more while the list is shown. */
const SCORES_MS = 5_000

/** What was said of the traces that are visible. */
export function useScores(isShown: boolean, rows: readonly Row[], first: number): ReadonlyMap<string, Annotation[]> {
  const from = Math.floor(first / SCORED) * SCORED
  const ids = isShown ? rows.slice(from, from + 2 * SCORED).map(({ trace_id }) => trace_id) : []
  const { data } = useQuery({
    ...annotationsQuery(ids),
    refetchInterval: SCORES_MS,
    placeholderData: keepPreviousData,
  })
  return useMemo(() => byTrace(data ?? []), [data])
}

/** Rows whose previews are asked for at once. */
const PREVIEWED = 50

/** What the visible rows say, by id. It takes longer than the rows, so it is asked for when they are here. */
export function usePreviews(
  rows: readonly Row[],
  { first, last }: { first: number; last: number },
  attributes: readonly string[],
): Previews {
  const parts: (readonly Row[])[] = []
  for (let from = first - (first % PREVIEWED); from <= last && from < rows.length; from += PREVIEWED)
    parts.push(rows.slice(from, from + PREVIEWED))
  return useQueries({ queries: parts.map(part => previewsQuery(part, attributes)), combine: together })
}

interface Previews {
  byId: ReadonlyMap<string, Preview>
  /** Of the first request that failed for good. */
  error: Error | null
}

const together = (parts: readonly { data: PreviewList | undefined; error: Error | null }[]): Previews => ({
  byId: new Map(parts.flatMap(({ data }) => data?.previews ?? []).map(one => [idOf(one), one])),
  error: parts.find(({ error }) => error)?.error ?? null,
})
