import { QueryCache, QueryClient } from '@tanstack/react-query'
import { ApiError } from './api-error.ts'
import { noteFailure, noteSuccess } from './connection.ts'

const RETRY_MS = { min: 500, max: 5_000 }

/** Failures that pass are tried again for as long as the page is open; the data of before stays. */
export const queryClient = new QueryClient({
  queryCache: new QueryCache({ onSuccess: noteSuccess }),
  defaultOptions: {
    queries: {
      networkMode: 'always',
      staleTime: 10_000,
      refetchOnWindowFocus: false,
      retry: (_count, error) => {
        noteFailure(error)
        return error instanceof ApiError && error.isPassing
      },
      retryDelay: (count, error) =>
        (error instanceof ApiError ? error.retryAfterMs : undefined) ??
        Math.min(RETRY_MS.max, RETRY_MS.min * 2 ** Math.min(count, 10)),
    },
  },
})
