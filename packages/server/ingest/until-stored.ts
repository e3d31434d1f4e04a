import { setTimeout as delay } from 'node:timers/promises'
import { microsNow } from '@spanhouse/model'
import type { SpanStream } from '@spanhouse/span-stream'

/** How often the stream is asked whether it has been stored so far. */
const LOOK_MS = 100

/** Resolves when everything that was durable in the stream at this moment can be read. Rejects if the signal aborts. */
export async function untilStored(stream: Pick<SpanStream, 'stats'>, signal: AbortSignal): Promise<void> {
  const since = microsNow()
  for (;;) {
    const { depth, oldestSeconds } = await stream.stats()
    if (depth === 0 || oldestSeconds * 1e6 < microsNow() - since) return
    await delay(LOOK_MS, undefined, { signal })
  }
}
