/** How long work on the event loop goes on before others get their turn. */
const TURN_MS = 10

let since = Number.NEGATIVE_INFINITY
const waiting: (() => void)[] = []

/**
 * To be awaited between two steps of long work, each of them short: it lets everything else on this thread run when such
 * work has gone on for 10 ms, and costs next to nothing otherwise. However many works are under way, one of them goes on
 * between two looks at the network, so a request waits for one turn and not for all of them.
 */
export function nextTurn(): Promise<void> | undefined {
  if (waiting.length === 0 && performance.now() - since < TURN_MS) return undefined
  return new Promise(resolve => {
    waiting.push(resolve)
    if (waiting.length === 1) setImmediate(resumeOne)
  })
}

function resumeOne(): void {
  since = performance.now()
  const resume = waiting.shift()
  if (waiting.length > 0) setImmediate(resumeOne)
  resume?.()
}
