import { setImmediate } from 'node:timers/promises'

/** How long work on many rows goes on before others get their turn. */
const TURN_MS = 10

/** To be awaited between two steps of long work: it lets others in when the last ones have waited for long. */
export function turns(): () => Promise<void> {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < TURN_MS) return
    await setImmediate()
    since = performance.now()
  }
}
