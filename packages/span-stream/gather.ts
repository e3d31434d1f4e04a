import type { DeliveriesOptions } from './span-stream.ts'

export interface Sized {
  readonly spans: number
  readonly bytes: number
}

/** The source of a batch's messages, in order. */
export interface Source<T extends Sized> {
  /** The next message if one is available. It remains the next until it is taken. */
  peek(): T | undefined
  /** Takes the message that `peek` returned. */
  take(): void
  /** Resolves when `peek` may have a new result, after `msMax` at the latest; also when the iteration ends. */
  changed(msMax: number): Promise<void>
}

/** Maximum time of one wait for a source. Sources that can miss notifications choose a shorter one. */
const IDLE_MS = 60_000

/**
 * Takes one batch: as many messages as fit into `spansMax` and `bytesMax`, but at least one, waiting at most `lingerMs`
 * after the first for more. If the signal is aborted, returns the messages taken so far, possibly none.
 */
export async function gather<T extends Sized>(
  source: Source<T>,
  { spansMax, bytesMax, lingerMs }: Pick<DeliveriesOptions, 'spansMax' | 'bytesMax' | 'lingerMs'>,
  signal: AbortSignal,
): Promise<T[]> {
  const batch: T[] = []
  let [spans, bytes, until] = [0, 0, Number.POSITIVE_INFINITY]
  while (!signal.aborted && spans < spansMax && bytes < bytesMax) {
    const next = source.peek()
    if (next === undefined) {
      const left = until - performance.now()
      if (left <= 0) break
      await source.changed(Math.min(left, IDLE_MS))
      continue
    }
    if (batch.length > 0 && (spans + next.spans > spansMax || bytes + next.bytes > bytesMax)) break
    source.take()
    if (batch.push(next) === 1) until = performance.now() + lingerMs
    spans += next.spans
    bytes += next.bytes
  }
  return batch
}
