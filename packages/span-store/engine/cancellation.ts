import { AsyncLocalStorage } from 'node:async_hooks'

interface Cancellation {
  signal: AbortSignal | undefined
}

const cancellations = new AsyncLocalStorage<Cancellation>()

/**
 * Runs work whose reads are cancelled when the signal aborts before the work is done: their statements are then ended
 * on the server and reject with the signal's reason, as do those that have not been sent yet.
 */
export async function cancellable<T>(signal: AbortSignal, work: () => T): Promise<Awaited<T>> {
  const cancellation: Cancellation = { signal }
  try {
    return await cancellations.run(cancellation, work)
  } finally {
    // What the work has left behind, such as a timer, goes on.
    cancellation.signal = undefined
  }
}

/** The signal of the work that the caller is part of. */
export const cancellation = (): AbortSignal | undefined => cancellations.getStore()?.signal
