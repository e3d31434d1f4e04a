import { useEffect, useState, useSyncExternalStore } from 'react'
import { onServerClock, serverAheadMs } from '../api/clock.ts'
import { type Focus, type ListBody, listBody } from '../api/filtering.ts'
import { FilterError, parseFilterText } from './filter-text.ts'
import { type FilterSearch, windowOf } from './search.ts'

/** A window that ends now moves on at least this often. */
const MOVE_MS = 60_000

type ListSearch = FilterSearch & { focus?: Focus }

interface Asked {
  /** Undefined until there has been a filter that can be read. */
  body: ListBody | undefined
  /** Why the text of the filter cannot be read. */
  error: FilterError | undefined
  /** The request that another address will stand for; undefined if its filter cannot be read. */
  bodyFor: (search: ListSearch) => ListBody | undefined
}

/** The request that an address stands for. While a filter is being typed wrong, it stays as it was. */
export function useBody(search: ListSearch): Asked {
  const now = useNow(search)
  const asked = bodyOf(search, now)
  const [valid, setValid] = useState<ListBody>()
  useEffect(() => {
    if (!(asked instanceof Error)) setValid(asked)
  }, [asked])
  const bodyFor = (other: ListSearch): ListBody | undefined => {
    const body = bodyOf(other, now)
    return body instanceof Error ? undefined : body
  }
  return asked instanceof Error ? { body: valid, error: asked, bodyFor } : { body: asked, error: undefined, bodyFor }
}

function bodyOf(search: ListSearch, now: number): ListBody | FilterError {
  try {
    return listBody(search.focus ?? 'trace', parseFilterText(search.q ?? ''), windowOf(search, now))
  } catch (error) {
    if (error instanceof FilterError) return error
    throw error
  }
}

/**
 * The end of a window that ends now, by the server's clock: it moves each minute, not with each render, so that
 * requests can be shared.
 */
function useNow({ to }: FilterSearch): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (to) return
    const timer = setInterval(() => setNow(Date.now()), MOVE_MS)
    return () => clearInterval(timer)
  }, [to])
  return now + useSyncExternalStore(onServerClock, serverAheadMs)
}
