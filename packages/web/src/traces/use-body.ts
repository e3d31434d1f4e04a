import { useEffect, useState, useSyncExternalStore } from 'react'
import { onServerClock, serverAheadMs } from '../api/clock.ts'
import { type Focus, type ListBody, listBody } from '../api/filtering.ts'
import { useBegan } from '../parts/use-began.ts'
import { FilterError, parseFilterText } from './filter-text.ts'
import { type FilterSearch, type Window, type WindowSearch, windowOf } from './search.ts'

/** A window that ends now moves on at least this often. */
const MOVE_MS = 60_000

type ListSearch = FilterSearch & { focus?: Focus }

interface Asked {
  /** Undefined until there has been a filter that can be read. */
  body: ListBody | undefined
  /** The same as it was when the screen began: it stays while the address does, for rows that must not move. */
  listed: ListBody | undefined
  /** Why the text of the filter cannot be read. */
  error: FilterError | undefined
  /** What {@link listed} will be of another address; undefined if its filter cannot be read. */
  listedFor: (search: ListSearch) => ListBody | undefined
}

/** The request that an address stands for. While a filter is being typed wrong, it stays as it was. */
export function useBody(search: ListSearch): Asked {
  const { began, now } = useNow(search)
  const body = bodyOf(search, now)
  const listed = bodyOf(search, began)
  const [valid, setValid] = useState<{ body: ListBody; listed: ListBody }>()
  useEffect(() => {
    if (!(body instanceof Error || listed instanceof Error)) setValid({ body, listed })
  }, [body, listed])
  const listedFor = (other: ListSearch): ListBody | undefined => {
    const next = bodyOf(other, began)
    return next instanceof Error ? undefined : next
  }
  if (body instanceof Error || listed instanceof Error)
    return { body: valid?.body, listed: valid?.listed, error: body as FilterError, listedFor }
  return { body, listed, error: undefined, listedFor }
}

/** The window of an address at the moment at which it is asked for. */
export const windowNowOf = (search: WindowSearch) => (): Window => windowOf(search, Date.now() + serverAheadMs())

function bodyOf(search: ListSearch, now: number): ListBody | FilterError {
  try {
    return listBody(search.focus ?? 'trace', parseFilterText(search.q ?? ''), windowOf(search, now))
  } catch (error) {
    if (error instanceof FilterError) return error
    throw error
  }
}

/**
 * The end of a window that ends now, by the server's clock, and what it was at the beginning. It moves each minute, not
 * with each render, so that requests can be shared. Rows that Back shows are those that there were.
 */
function useNow({ to }: FilterSearch): { began: number; now: number } {
  const began = useBegan()
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (to) return
    const timer = setInterval(() => setNow(Date.now()), MOVE_MS)
    return () => clearInterval(timer)
  }, [to])
  const ahead = useSyncExternalStore(onServerClock, serverAheadMs)
  return { began: began + ahead, now: now + ahead }
}
