import { setTimeout as delay } from 'node:timers/promises'
import { type Micros, microsNow } from '@spanhouse/model'
import type { SpanStream } from '@spanhouse/span-stream'

/** How often the stream is asked whether it has been stored so far. */
const LOOK_MS = 100

/** Whether everything that was durable in the stream at this time can be read. */
export async function isStoredUntil(stream: Pick<SpanStream, 'stats'>, time: Micros): Promise<boolean> {
  const { depth, oldestSeconds } = await stream.stats()
  return depth === 0 || oldestSeconds * 1e6 < microsNow() - time
}

/** Resolves when everything that was durable in the stream at this moment can be read. Rejects if the signal aborts. */
export async function untilStored(stream: Pick<SpanStream, 'stats'>, signal: AbortSignal): Promise<void> {
  const since = microsNow()
  while (!(await isStoredUntil(stream, since))) await delay(LOOK_MS, undefined, { signal })
}
