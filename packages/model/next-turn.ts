/** How long work runs on the event loop before it yields. */
const TURN_MS = 10

let since = Number.NEGATIVE_INFINITY
const waiting: (() => void)[] = []

/**
 * Await this between short steps of long work: it yields to everything else on this thread once such work has run for
 * 10 ms, and costs almost nothing otherwise. However many such tasks are active, together they run for 10 ms and one
 * step between two polls of the network, so a request waits for one turn and not for all of them.
 *
 * A turn lasts its 10 ms even while others wait for theirs: steps may be as short as reading a row, and a poll may take
 * longer than a hundred of them.
 */
export function nextTurn(): Promise<void> | undefined {
  if (performance.now() - since < TURN_MS) return undefined
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
