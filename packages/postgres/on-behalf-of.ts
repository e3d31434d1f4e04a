import { AsyncLocalStorage } from 'node:async_hooks'

const owners = new AsyncLocalStorage<string>()

/**
 * Does work for an owner, such as a project. Owners share the embedded database's one connection evenly: see
 * `embedded/fair-queue.ts`. Statements that are run for nobody, such as the look-up of credentials, come first.
 */
export const onBehalfOf = <T>(owner: string, work: () => T): T => owners.run(owner, work)

/** The owner that the caller works for; undefined for nobody. */
export const currentOwner = (): string | undefined => owners.getStore()
