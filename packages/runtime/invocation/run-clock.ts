import { RunError } from '../run-error.ts'
import { RUN_MS_MAX, STREAM_SILENT_MS_MAX, STREAMED_RUN_MS_MAX } from './limits.ts'
import { UNKNOWN_ERROR } from './run-failure.ts'

/** The status of a run whose caller has disconnected; it appears only in the trace. */
const CALLER_GONE = 499

/**
 * Limits the duration of a run. Its signal aborts with a {@link RunError} when time is up or the caller disconnects.
 */
export class RunClock {
  readonly #ending = new AbortController()
  readonly #caller: AbortSignal
  readonly #total: NodeJS.Timeout
  readonly #silence: NodeJS.Timeout | undefined
  /** A sentence about what the run waits for, which follows the reason when its time is up. */
  waiting: string | undefined

  constructor(caller: AbortSignal, isStreamed: boolean) {
    this.#caller = caller
    this.#total = isStreamed
      ? this.#after(STREAMED_RUN_MS_MAX, 'The run took longer than')
      : this.#after(RUN_MS_MAX, 'The run took longer than')
    this.#silence = isStreamed ? this.#after(STREAM_SILENT_MS_MAX, 'The run produced no output for') : undefined
    if (caller.aborted) this.#leave()
    else caller.addEventListener('abort', this.#leave, { once: true })
  }

  get signal(): AbortSignal {
    return this.#ending.signal
  }

  /** Restarts the timer for silence. */
  heard(): void {
    this.#silence?.refresh()
  }

  /** Settles like the work, or rejects as soon as the signal aborts, even if the work ignores it. */
  async bound<T>(work: () => Promise<T> | T): Promise<T> {
    const { signal } = this
    signal.throwIfAborted()
    const { promise: ended, reject } = Promise.withResolvers<never>()
    const onAbort = (): void => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      return await Promise.race([work(), ended])
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  stop(): void {
    clearTimeout(this.#total)
    clearTimeout(this.#silence)
    this.#caller.removeEventListener('abort', this.#leave)
  }

  #after(ms: number, what: string): NodeJS.Timeout {
    return setTimeout(() => {
      const sentences = [`${what} ${ms / 1000} s.`, this.waiting].filter(Boolean)
      this.#ending.abort(new RunError(504, UNKNOWN_ERROR, sentences.join(' ')))
    }, ms)
  }

  readonly #leave = (): void =>
    this.#ending.abort(new RunError(CALLER_GONE, UNKNOWN_ERROR, 'The caller disconnected before the run ended.'))
}
