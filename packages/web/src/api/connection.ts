import { ApiError } from './api-error.ts'

/** Why the newest attempt to reach the server failed; undefined while it responds. */
let failure: string | undefined
/** Requests that have waited for a response longer than {@link SLOW_MS}. */
let slow = 0
const listeners = new Set<() => void>()

/** Longer than any request of the page takes when all is well. */
const SLOW_MS = 5_000

const SLOW = 'The server is slow to respond. What is shown may be out of date; still waiting …'

/** What people should know about the connection, as a sentence; undefined while all is well. */
export const connectionTrouble = (): string | undefined => failure ?? (slow > 0 ? SLOW : undefined)

export function onConnectionChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function noteSuccess(): void {
  set(undefined)
}

export function noteFailure(error: unknown): void {
  if (!(error instanceof ApiError)) return
  if (error.status === 0) set('The server cannot be reached. What is shown may be out of date; trying again …')
  else if (error.isPassing) set(`The server is busy: ${error.message} Trying again …`)
}

/** Says so while a response takes long. */
export async function notingSlow<T>(response: Promise<T>): Promise<T> {
  let isSlow = false
  const timer = setTimeout(() => {
    isSlow = true
    slow++
    notify()
  }, SLOW_MS)
  try {
    return await response
  } finally {
    clearTimeout(timer)
    if (isSlow) {
      slow--
      notify()
    }
  }
}

function set(next: string | undefined): void {
  if (next === failure) return
  failure = next
  notify()
}

function notify(): void {
  for (const listener of listeners) listener()
}
