import { QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError } from './api-error.ts'
import { noteEnd, noteFailure } from './connection.ts'

const RETRY_MS = { min: 500, max: 5_000 }

const queryCache = new QueryCache()

// A question that no screen asks any more is not tried again: what it failed with must not stay on the page.
queryCache.subscribe(event => {
  const { query } = event
  const action = event.type === 'updated' ? event.action : undefined
  const isAsked = query.getObserversCount() > 0
  if (isAsked && action?.type === 'failed') noteFailure(query, action.error)
  else if (!isAsked || action?.type === 'success' || action?.type === 'error') noteEnd(query)
})

/** Failures that pass are tried again for as long as the page is open; the data of before stays. */
export const queryClient = new QueryClient({
  queryCache,
  defaultOptions: {
    queries: {
      networkMode: 'always',
      staleTime: 10_000,
      refetchOnWindowFocus: false,
      retry: (_count, error) => error instanceof ApiError && error.isPassing,
      retryDelay: delayMs,
    },
  },
})

function delayMs(count: number, error: unknown): number {
  const wanted = error instanceof ApiError ? error.retryAfterMs : undefined
  return wanted ?? Math.min(RETRY_MS.max, RETRY_MS.min * 2 ** Math.min(count, 10))
}

/** Reads a page of something long: a failure that passes ends none of what was read before, but is tried again. */
export async function untilPassed<Answer>(read: () => Promise<Answer>, signal: AbortSignal): Promise<Answer> {
  try {
    for (let count = 0; ; count++) {
      const answer = await read().catch((error: unknown) => {
        if (signal.aborted || !(error instanceof ApiError) || !error.isPassing) throw error
        noteFailure(signal, error)
        return error
      })
      if (!(answer instanceof ApiError)) return answer
      await elapsed(delayMs(count, answer), signal)
    }
  } finally {
    noteEnd(signal)
  }
}

/** Rejects as soon as the signal says so. */
function elapsed(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms)
    const abort = (): void => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    signal.addEventListener('abort', abort, { once: true })
  })
}
