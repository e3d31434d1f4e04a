import { ApiError } from './api-error.ts'

/** What is tried again at the moment, each with why it failed; the newest failure last. */
const failures = new Map<object, string>()
/** Requests that have waited for a response longer than {@link SLOW_MS}. */
let slow = 0
const listeners = new Set<() => void>()

/** Longer than any request of the page takes when all is well. */
const SLOW_MS = 5_000

const SLOW = 'The server is slow to respond. What is shown may be out of date; still waiting …'

/** What people should know about the connection, as a sentence; undefined while all is well. */
export const connectionTrouble = (): string | undefined =>
  [...failures.values()].at(-1) ?? (slow > 0 ? SLOW : undefined)

export function onConnectionChange(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Something has failed and is tried again, unless the failure is none that passes. */
export function noteFailure(what: object, error: unknown): void {
  const reason = passingReason(error)
  if (reason === undefined || failures.get(what) === reason) return
  failures.delete(what)
  failures.set(what, reason)
  notify()
}

/** Something has succeeded, or nobody waits for it any more. */
export function noteEnd(what: object): void {
  if (failures.delete(what)) notify()
}

function passingReason(error: unknown): string | undefined {
  if (!(error instanceof ApiError) || !error.isPassing) return undefined
  return error.status === 0
    ? 'The server cannot be reached. What is shown may be out of date; trying again …'
    : `The server is busy: ${error.message} Trying again …`
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

function notify(): void {
  for (const listener of listeners) listener()
}
