/*
 * What the program and the supervisor that `npm start` puts over it (start.ts) say to each other. The channel between
 * them is also how each notices that the other is gone.
 */

/** From the program: it lives; it answers requests; it is ending in order. */
export type Sign = 'alive' | 'ready' | 'stopping'

/** How often the program says that it lives. Its supervisor waits for many of these in vain before it acts. */
export const ALIVE_EVERY_MS = 1_000

/** Tells the supervisor, if there is one: a container or a test starts the program without. */
export function tell(sign: Sign): void {
  if (process.connected) process.send?.(sign, () => {})
}

/** Says from time to time that the event loop runs, and calls `onOrphaned` when the supervisor is gone. */
export function beSupervised(onOrphaned: () => void): void {
  if (!process.connected) return
  tell('alive')
  setInterval(() => tell('alive'), ALIVE_EVERY_MS).unref()
  process.once('disconnect', onOrphaned)
}
