import { setTimeout as delay } from 'node:timers/promises'
import { microsNow, Problem } from '@spanhouse/model'
import { draftOfBody } from '@spanhouse/otlp'
import type { RunSpan } from '@spanhouse/runtime'
import type { SpanMessage, SpanStream } from '@spanhouse/span-stream'
import type { FastifyBaseLogger } from 'fastify'
import { messagesOf, type Sender } from '../ingest/accept.ts'
import type { RunMetrics } from '../metrics.ts'

/** Traces that wait for a stream that is full or away, all together; one that comes beyond it is lost. */
const WAITING_BYTES_MAX = 64 * 1024 * 1024

/** How long one waits before it is tried again, longer each time. */
const RETRY_MS = { first: 100, max: 5_000 }

/** How long a process that stops waits for its last runs and their traces. */
const CLOSE_MS_MAX = 8_000

/**
 * Brings the traces of runs into the stream. No answer waits for it and no run fails by it: as long as the stream takes nothing,
 * traces wait in memory, as far as there is room.
 */
export class RunTraces {
  readonly #stream: SpanStream
  readonly #metrics: RunMetrics
  readonly #log: FastifyBaseLogger
  readonly #closing = new AbortController()
  readonly #underWay = new Set<Promise<unknown>>()
  #waitingBytes = 0

  constructor(stream: SpanStream, metrics: RunMetrics, log: FastifyBaseLogger) {
    this.#stream = stream
    this.#metrics = metrics
    this.#log = log
  }

  /** Resolves when the spans are durable. Rejects when they are lost, which is counted and logged. */
  async publish(sender: Sender, spans: readonly RunSpan[]): Promise<void> {
    try {
      const accepted_at = microsNow()
      const drafts = spans.flatMap(span => draftOfBody({ ...span }, accepted_at) ?? [])
      await this.#untilTaken(await messagesOf(this.#stream, sender, drafts, accepted_at))
      this.#metrics.accepted.inc(drafts.length)
    } catch (error) {
      this.#metrics.tracesLost.inc()
      this.#log.error({ err: error, trace_id: spans[0]?.trace_id }, 'the trace of a run is lost')
      throw error
    }
  }

  /** What is to be waited for before the process ends: runs, and the recording of their traces. */
  hold(work: Promise<unknown>): void {
    const held = work.catch(() => {}).finally(() => this.#underWay.delete(held))
    this.#underWay.add(held)
  }

  /** Resolves when everything that is held has ended, or after some seconds. */
  async stop(): Promise<void> {
    const late = AbortSignal.timeout(CLOSE_MS_MAX)
    while (this.#underWay.size > 0 && !late.aborted)
      await Promise.race([Promise.all(this.#underWay), delay(CLOSE_MS_MAX, undefined, { ref: false })])
    this.#closing.abort()
  }

  async #untilTaken(messages: readonly SpanMessage[]): Promise<void> {
    const bytes = messages.reduce((sum, { body }) => sum + body.length, 0)
    if (this.#waitingBytes > 0 && this.#waitingBytes + bytes > WAITING_BYTES_MAX)
      throw new Problem('overloaded', `More than ${WAITING_BYTES_MAX} bytes of traces wait for the stream.`)
    this.#waitingBytes += bytes
    try {
      for (let waitMs = RETRY_MS.first; !(await this.#isTaken(messages)); waitMs = Math.min(2 * waitMs, RETRY_MS.max))
        await delay(waitMs, undefined, { signal: this.#closing.signal })
    } finally {
      this.#waitingBytes -= bytes
    }
  }

  /** A message is published under the same id again, so that one that was stored after all is not stored twice. */
  async #isTaken(messages: readonly SpanMessage[]): Promise<boolean> {
    try {
      await this.#stream.publish(messages)
      return true
    } catch (error) {
      if (error instanceof Problem && error.retryable) return false
      throw error
    }
  }
}
