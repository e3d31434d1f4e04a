/**
 * The messages between the program and its supervisor (start.ts), which `npm start` runs. The channel between them also
 * shows each that the other has exited.
 */

/** From the program: it is alive; it serves requests; it is stopping in order. */
export type Sign = 'alive' | 'ready' | 'stopping'

/** How often the program reports that it is alive. The supervisor acts only after many missed reports. */
export const ALIVE_EVERY_MS = 1_000

/** Tells the supervisor, if there is one: containers and tests start the program without. */
export function tell(sign: Sign): void {
  if (process.connected) process.send?.(sign, () => {})
}

/** Reports regularly that the event loop runs, and calls `onOrphaned` when the supervisor has exited. */
export function beSupervised(onOrphaned: () => void): void {
  if (!process.connected) return
  tell('alive')
  setInterval(() => tell('alive'), ALIVE_EVERY_MS).unref()
  process.once('disconnect', onOrphaned)
}
