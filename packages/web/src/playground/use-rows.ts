import { useQueries, useQuery } from '@tanstack/react-query'
import { useStored } from '../parts/use-stored.ts'
import { type Row, testsetRowsQuery, traceRowQuery } from './rows.ts'
import { listIn, type PlaygroundSearch } from './search.ts'

interface Rows {
  rows: readonly Row[]
  /** The rows that are typed here and kept in this browser; absent while others are shown. */
  own: readonly Row[] | undefined
  setOwn: (rows: readonly Row[] | undefined) => void
  error: Error | null
}

const FIRST: readonly Row[] = [{ id: 'first', inputs: {} }]

/** The rows that the address names: those of a testset, traces, or the ones of this browser. */
export function useRows(workflow_id: string, { testset, trace }: PlaygroundSearch): Rows {
  const [own = FIRST, setOwn] = useStored<readonly Row[]>(`rows.${workflow_id}`)
  const fromTestset = useQuery({ ...testsetRowsQuery(testset ?? ''), enabled: testset !== undefined })
  const fromTraces = useQueries({ queries: listIn(trace).map(traceRowQuery) })
  const error = fromTestset.error ?? fromTraces.find(one => one.error)?.error ?? null
  const none = { own: undefined, setOwn, error }
  if (testset !== undefined) return { ...none, rows: fromTestset.data ?? [] }
  if (trace !== undefined) return { ...none, rows: fromTraces.flatMap(({ data }) => data ?? []) }
  return { rows: own, own, setOwn, error: null }
}
