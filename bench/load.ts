import { setTimeout as delay } from 'node:timers/promises'
import type { ServerProcess } from '@spanhouse/server/server-process.testing.ts'
import type { Export } from './exports.ts'
import { until } from './measured.ts'
import { SENDERS } from './senders.ts'

export interface LoadResult {
  /** Spans whose export was answered with 2xx. */
  acceptedSpans: number
  seconds: number
  /** Exports that were refused because the stream was full, and sent again. */
  overloaded: number
}

export interface LoadOptions {
  concurrency: number
  /** Exports per second; without it, as fast as possible. */
  rate?: number
  /** The protocol; HTTP by default. */
  door?: keyof typeof SENDERS
  /** Called when an export has been accepted. */
  accepted?(sent: Export): void
}

/** Sends each export until it is accepted; after a refusal it waits as long as the server asks. */
export async function sendAll(
  server: ServerProcess,
  exports: Iterable<Export>,
  { concurrency, rate, accepted, door = 'http' }: LoadOptions,
): Promise<LoadResult> {
  const sender = SENDERS[door](server, concurrency)
  const source = exports[Symbol.iterator]()
  const result: LoadResult = { acceptedSpans: 0, seconds: 0, overloaded: 0 }
  const started = performance.now()
  let number = 0
  const work = async (): Promise<void> => {
    for (let next = source.next(); !next.done; next = source.next()) {
      if (rate) await delay(Math.max(0, started + (number++ / rate) * 1000 - performance.now()))
      for (let wait = await sender.send(next.value.body); wait > 0; wait = await sender.send(next.value.body)) {
        result.overloaded++
        await delay(wait * 1000)
      }
      result.acceptedSpans += next.value.spans
      accepted?.(next.value)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  result.seconds = (performance.now() - started) / 1000
  sender.close()
  return result
}

/** How many spans the server has written since it started. */
export const writtenOf = (server: ServerProcess): Promise<number> => server.metric('spanhouse_spans_written_total')

/** More than any server writes in a millisecond. */
const SPANS_PER_MS_MAX = 100

/** Asks rarely while many are missing: an answer takes the server 3 ms, which would count as time of the spans. */
export const untilWritten = (server: ServerProcess, spans: number): Promise<void> =>
  until(async () => {
    const missing = spans - (await writtenOf(server))
    if (missing > 0) await delay(missing / SPANS_PER_MS_MAX)
    return missing <= 0
  }, 25)
