/**
 * The messages between the program and its supervisor (start.ts), which `npm start` runs. The channel between them also
 * shows each that the other has exited.
 */

/** From the program: it is alive; it serves requests; it is stopping in order. */
export type Sign = 'alive' | 'ready' | 'stopping'

/** How often the program reports that it is alive. The supervisor acts only after many missed reports. */
export const ALIVE_EVERY_MS = 1_000

/** No request blocks the event loop for nearly as long, and a stop in order limits itself to less. */
const BEATS_MISSED_MAX = 30
/** Before its first sign the program loads a thousand modules: a matter of minutes on a slow or busy machine. */
const BEATS_MISSED_MAX_LOADING = 600

/** How many signs in a row a program may miss that has sent those in `seen`; with more it hangs. */
export const beatsMissedMax = (seen: ReadonlySet<Sign>): number =>
  seen.size === 0 ? BEATS_MISSED_MAX_LOADING : BEATS_MISSED_MAX

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
