import { AsyncLocalStorage } from 'node:async_hooks'

const signals = new AsyncLocalStorage<AbortSignal>()

/**
 * Runs work whose reads are cancelled when the signal aborts: their statements are then ended on the server and reject
 * with the signal's reason, as do those that have not been sent yet.
 */
export const cancellable = <T>(signal: AbortSignal, work: () => T): T => signals.run(signal, work)

/** The signal of the work that the caller is part of. */
export const cancellation = (): AbortSignal | undefined => signals.getStore()
