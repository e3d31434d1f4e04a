import { Problem, parseUuid } from '@spanhouse/model'
import type { SpanMessage } from './span-stream.ts'

/** For how long publishing the same id again stores nothing. */
export const DUPLICATE_WINDOW_MS = 120_000

/** The size limit of dead letters as a share of the stream's limit, in addition to it. */
export const DEAD_SHARE = 0.25

/**
 * The share of the size limit that the bulk lane may fill while several projects publish: the rest is for projects that
 * keep their pace.
 */
export const BULK_SHARE = 0.75

/** Maximum length of a stored reason, in characters. */
export const REASON_MAX = 2_000

/** Maximum bytes of bodies being written to one stream at once; beyond it, publishing is rejected. */
export const IN_FLIGHT_BYTES_MAX = 128 * 2 ** 20

type Why = 'full' | 'project_full' | 'dead_letters_full' | 'busy' | 'unreachable' | 'closed'

/** Why a stream temporarily rejects a message, and when to retry. */
const REFUSALS: Record<Why, { code?: 'too_many_requests'; detail: string; retryAfterSeconds: number }> = {
  full: { detail: 'The span stream has reached its size limit', retryAfterSeconds: 2 },
  project_full: {
    code: 'too_many_requests',
    detail: 'Spans of this project fill the span stream faster than they are stored, while other projects send',
    retryAfterSeconds: 2,
  },
  dead_letters_full: { detail: 'The dead letters have reached their size limit', retryAfterSeconds: 60 },
  busy: { detail: 'Too many spans are being written to the span stream', retryAfterSeconds: 1 },
  unreachable: { detail: 'The span stream is unreachable or cannot write', retryAfterSeconds: 5 },
  closed: { detail: 'The span stream is closing', retryAfterSeconds: 5 },
}

/** The Problem for a caller that should retry later. */
export class Refusal extends Problem {
  readonly why: Why

  constructor(why: Why, cause?: unknown) {
    const { code = 'overloaded', detail, retryAfterSeconds } = REFUSALS[why]
    super(code, detail, { retryAfterSeconds, cause })
    this.why = why
  }
}

export const refusal = (why: Why, cause?: unknown): Refusal => new Refusal(why, cause)

const ID = /^[\x21-\x7e]{1,200}$/

/**
 * Throws a Problem `too_large` for a message that can never fit, and an Error for one that violates the contract of
 * SpanMessage.
 */
export function checkMessage(message: SpanMessage, limits: { partitions: number; bytesMax: number }): void {
  const { id, partition, span_count } = message
  if (!ID.test(id)) throw new Error(`Invalid message id: ${JSON.stringify(id)}`)
  for (const uuid of [message.project_id, message.user_id]) {
    if (parseUuid(uuid) !== uuid) throw new Error(`Invalid UUID: ${JSON.stringify(uuid)}`)
  }
  if (!Number.isInteger(partition) || partition < 0 || partition >= limits.partitions) {
    throw new Error(`Partition ${partition} is out of range: there are ${limits.partitions}`)
  }
  if (!Number.isInteger(span_count) || span_count < 0 || span_count > 0xffffffff) {
    throw new Error(`Invalid span count ${span_count}`)
  }
  if (message.body.length >= limits.bytesMax) {
    throw new Problem('too_large', `${message.body.length} bytes exceed the span stream's limit of ${limits.bytesMax}`)
  }
}

/** Counts the bytes being published, so that a slow disk or network fills neither memory nor a send buffer. */
export class InFlight {
  #bytes = 0
  readonly #bytesMax: number

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** Runs `publish` unless that would exceed the limit. Messages that exceed it on their own run one call at a time. */
  async run(messages: readonly SpanMessage[], publish: () => Promise<void>): Promise<void> {
    const bytes = messages.reduce((sum, message) => sum + message.body.length, 0)
    if (this.#bytes > 0 && this.#bytes + bytes > this.#bytesMax) throw refusal('busy')
    this.#bytes += bytes
    try {
      await publish()
    } finally {
      this.#bytes -= bytes
    }
  }
}
