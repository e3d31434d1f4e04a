import { setTimeout as delay } from 'node:timers/promises'
import { acceptedNow, Problem } from '@spanhouse/model'
import { draftOfBody } from '@spanhouse/otlp'
import type { RunSpan } from '@spanhouse/runtime'
import type { SpanMessage, SpanStream } from '@spanhouse/span-stream'
import type { FastifyBaseLogger } from 'fastify'
import { messagesOf, type Sender } from '../ingest/accept.ts'
import type { RunMetrics } from '../metrics.ts'

/** All traces that wait for a stream that is full or unreachable. A trace beyond this limit is lost. */
const WAITING_BYTES_MAX = 64 * 1024 * 1024

/**
 * Small traces that end within this time are published together: one transaction of the stream, and one wake-up of its
 * readers. Larger ones are published separately.
 */
const GATHER = { ms: 50, bytesMax: 128 * 1024 }

/** The delay before the first retry, which doubles each time up to the maximum. */
const RETRY_MS = { first: 100, max: 5_000 }

/** How long `stop` waits for runs in progress and their traces. */
const CLOSE_MS_MAX = 8_000

/** Messages that are published together. */
interface Batch {
  readonly messages: SpanMessage[]
  bytes: number
  /** Resolves when they are durable, rejects when they are lost. */
  readonly taken: Promise<void>
}

/**
 * Publishes the traces of runs to the stream. No response waits for it and no run fails because of it: while the stream
 * accepts nothing, traces wait in memory, up to a limit.
 */
export class RunTraces {
  readonly #stream: SpanStream
  readonly #metrics: RunMetrics
  readonly #log: FastifyBaseLogger
  readonly #closing = new AbortController()
  readonly #underWay = new Set<Promise<unknown>>()
  #waitingBytes = 0
  #gathering: Batch | undefined

  constructor(stream: SpanStream, metrics: RunMetrics, log: FastifyBaseLogger) {
    this.#stream = stream
    this.#metrics = metrics
    this.#log = log
  }

  /** Resolves when the spans are durable. Rejects when they are lost, which it also counts and logs. */
  async publish(sender: Sender, spans: readonly RunSpan[]): Promise<void> {
    try {
      const accepted_at = acceptedNow()
      const drafts = spans.flatMap(span => draftOfBody({ ...span }, accepted_at) ?? [])
      await this.#untilTaken(await messagesOf(this.#stream, sender, drafts, accepted_at))
      this.#metrics.accepted.inc(drafts.length)
    } catch (error) {
      this.#metrics.tracesLost.inc()
      this.#log.error({ err: error, trace_id: spans[0]?.trace_id }, 'the trace of a run is lost')
      throw error
    }
  }

  /** Makes `stop` wait for a run or for the recording of its trace. */
  hold(work: Promise<unknown>): void {
    const held = work.catch(() => {}).finally(() => this.#underWay.delete(held))
    this.#underWay.add(held)
  }

  /** Resolves when everything held has ended, at the latest after {@link CLOSE_MS_MAX}. */
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
      await (bytes > GATHER.bytesMax ? this.#publish(messages) : this.#publishWithOthers(messages, bytes))
    } finally {
      this.#waitingBytes -= bytes
    }
  }

  #publishWithOthers(messages: readonly SpanMessage[], bytes: number): Promise<void> {
    if (this.#gathering && this.#gathering.bytes + bytes > GATHER.bytesMax) this.#gathering = undefined
    this.#gathering ??= this.#gather()
    this.#gathering.messages.push(...messages)
    this.#gathering.bytes += bytes
    return this.#gathering.taken
  }

  #gather(): Batch {
    const messages: SpanMessage[] = []
    const taken = delay(GATHER.ms).then(() => {
      if (this.#gathering === batch) this.#gathering = undefined
      return this.#publish(messages)
    })
    const batch: Batch = { messages, bytes: 0, taken }
    return batch
  }

  async #publish(messages: readonly SpanMessage[]): Promise<void> {
    for (let waitMs = RETRY_MS.first; !(await this.#isTaken(messages)); waitMs = Math.min(2 * waitMs, RETRY_MS.max))
      await delay(waitMs, undefined, { signal: this.#closing.signal })
  }

  /** A retry publishes under the same message id, so a message whose first attempt did succeed is not stored twice. */
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
