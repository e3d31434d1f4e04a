import { randomUUID } from 'node:crypto'
import type { ProjectPrincipal } from '@spanhouse/access'
import { acceptedNow, nextTurn, type Problem, type SpanId, type TraceId } from '@spanhouse/model'
import { scanTraces } from '@spanhouse/otlp'
import { partitionOf, type SpanMessage, type SpanStream } from '@spanhouse/span-stream'
import type { FastifyBaseLogger } from 'fastify'
import { freeBytes } from '../budget/free-bytes.ts'
import type { Held } from '../budget/room.ts'
import { reasonOf } from '../log/reason.ts'
import { RepeatedLines } from '../log/repeated-lines.ts'
import type { IngestMetrics } from '../metrics.ts'
import type { Quotas } from '../shares/quotas.ts'
import { PauseWhenFull } from './pause.ts'

/** An export as received and after decompression (contract: 10 MiB). */
export const OTLP_BYTES_MAX = 10 * 1024 * 1024

/** What became of an export. */
export interface AcceptedExport {
  count: number
  links: { trace_id: TraceId; span_id: SpanId }[]
  /** Unusable spans, and why. */
  rejected: number
  errorMessage: string
}

/** Who sent an export, for the log. */
export interface Exporter {
  door: 'http' | 'grpc'
  userAgent: string | undefined
}

const USER_AGENT_LENGTH_MAX = 200

/** For exports that were not received. */
export const UNCOUNTED: Pick<Held, 'add'> = { add() {} }

export interface ExportsOptions {
  stream: SpanStream
  quotas: Quotas
  metrics: IngestMetrics
  log: FastifyBaseLogger
}

/**
 * Accepts exports from all protocols. It examines an export just enough to know which spans it contains and that they
 * can be decoded, and makes the bytes durable in the span stream.
 */
export class Exports {
  readonly #stream: SpanStream
  readonly #quotas: Quotas
  readonly #metrics: IngestMetrics
  readonly #log: FastifyBaseLogger
  readonly #pause = new PauseWhenFull()
  readonly #lines = new RepeatedLines()

  constructor({ stream, quotas, metrics, log }: ExportsOptions) {
    this.#stream = stream
    this.#quotas = quotas
    this.#metrics = metrics
    this.#log = log
  }

  /**
   * Resolves when the spans are durable. `read` returns the export as protobuf, counted in `held`, whose memory is then
   * freed; it is not called while the stream is full or the sender's quota is used up. Rejects as `read`, the scan, the
   * quota, `held` and the stream do. Exports that are read at the same time are charged as soon as their spans are
   * counted, before any is published.
   */
  async accept(
    sender: ProjectPrincipal,
    held: Pick<Held, 'add'>,
    read: () => Promise<Uint8Array>,
  ): Promise<AcceptedExport> {
    this.#quotas.admit(sender, 'spans_per_second')
    const accepted = await this.#pause.run(sender.project_id, async () => this.#publish(sender, held, await read()))
    this.#metrics.accepted.inc(accepted.count)
    this.#metrics.rejected.inc(accepted.rejected)
    return accepted
  }

  /** Counts a rejected export and reports it in the log: senders often discard the reason. */
  refused(problem: Problem, { door, userAgent = 'unknown' }: Exporter): void {
    this.#metrics.refused.inc({ code: problem.code })
    // The cause of a failure of ours; that of a sender's fault may quote what was sent.
    const reason = problem.retryable ? reasonOf(problem) : problem.message
    const line = { door, reason, userAgent: userAgent.slice(0, USER_AGENT_LENGTH_MAX) }
    const before = this.#lines.note(`${problem.code} ${line.userAgent}`)
    if (before !== undefined) this.#log.warn({ ...line, notLogged: before || undefined }, 'export rejected')
  }

  async #publish(sender: ProjectPrincipal, held: Pick<Held, 'add'>, traces: Uint8Array): Promise<AcceptedExport> {
    await nextTurn()
    const { project_id, user_id } = sender
    const scan = scanTraces(traces, this.#stream.partitions, partitionOf)
    const count = scan.spans.length
    // The parts of an export repeat what their spans share. They take its place: it is not needed any more.
    held.add(scan.shares.reduce((sum, { body }) => sum + body.length, -traces.length))
    if (scan.shares.every(({ body }) => body !== traces)) freeBytes(traces)
    this.#quotas.take(sender, 'spans_per_second', count)
    const accepted_at = acceptedNow()
    const messages = scan.shares.map(
      ({ partition, span_count, body }): SpanMessage => ({
        id: randomUUID(),
        partition,
        project_id,
        user_id,
        accepted_at,
        span_count,
        format: 'otlp',
        body,
      }),
    )
    await this.#stream.publish(messages).catch((error: unknown) => {
      this.#quotas.giveBack(sender, 'spans_per_second', count)
      throw error
    })
    for (const { body } of messages) freeBytes(body)
    return { count, links: scan.spans, rejected: scan.rejected, errorMessage: scan.errorMessage }
  }
}
