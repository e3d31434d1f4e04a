import { AsyncLocalStorage } from 'node:async_hooks'

interface Behalf {
  readonly owner: string
  until?: AbortSignal | undefined
}

const behalves = new AsyncLocalStorage<Behalf>()

/**
 * Runs work for an owner, such as a project. Owners share the embedded database's single connection evenly: see
 * `embedded/fair-queue.ts`. Statements without an owner, such as the look-up of credentials, come first.
 */
export const onBehalfOf = <T>(owner: string, work: () => T): T => behalves.run({ owner }, work)

/**
 * Like {@link onBehalfOf}. When the signal aborts before the work is done, its statements and transactions that have no
 * connection yet are rejected with the signal's reason; those that have begun are finished.
 */
export async function onBehalfOfUntil<T>(owner: string, until: AbortSignal, work: () => T): Promise<Awaited<T>> {
  const behalf: Behalf = { owner, until }
  try {
    return await behalves.run(behalf, work)
  } finally {
    // What the work has left behind, such as a timer, goes on.
    behalf.until = undefined
  }
}

/** The owner that the caller works for; undefined if none. */
export const currentOwner = (): string | undefined => behalves.getStore()?.owner

/** Ends the caller's waiting for a connection; undefined if nothing does. */
export const currentUntil = (): AbortSignal | undefined => behalves.getStore()?.until
