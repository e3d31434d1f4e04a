import { setTimeout as delay } from 'node:timers/promises'

/** Work beside the answering of requests. */
export interface Background {
  /** Resolves when nothing of it is running. */
  stop(): Promise<void>
}

/** Begins work that ends soon after its signal has aborted, which is when it is stopped. */
export function inBackground(work: (signal: AbortSignal) => Promise<void>): Background {
  const stopping = new AbortController()
  const ended = work(stopping.signal)
  return {
    stop: () => {
      stopping.abort()
      return ended
    },
  }
}

/** Does something at once, and again after each pause, until the signal aborts or it rejects. */
export async function repeatedly(pauseMs: number, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  while (!signal.aborted) {
    await work()
    await pause(pauseMs, signal)
  }
}

/** Resolves after this time, or as soon as the signal aborts. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  delay(ms, undefined, { signal }).catch(() => undefined)
