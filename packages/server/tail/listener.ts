import { PassThrough, type Readable } from 'node:stream'
import { nextTurn, type SpanJson } from '@spanhouse/model'
import { type Filter, type MatchableSpan, MatchTooLong, MatchWork, matchSpan } from '@spanhouse/query'
import { commentText, eventText } from '../http/answer/server-sent-events.ts'

/** How much may wait for a listener that reads more slowly than spans arrive. */
const WAITING_BYTES_MAX = 1024 * 1024
/** Work of a filter on one span: some milliseconds. See `MatchWork`. */
const SPAN_STEPS_MAX = 2_000_000

/** A span that has arrived, shared by all listeners. */
export class ArrivedSpan {
  readonly #span: SpanJson
  readonly matchable: MatchableSpan
  #event: string | undefined

  constructor(span: SpanJson, matchable: MatchableSpan) {
    this.#span = span
    this.matchable = matchable
  }

  /** Serialised once. */
  get event(): string {
    this.#event ??= eventText('span', JSON.stringify(this.#span))
    return this.#event
  }
}

/**
 * A listener to the spans of a project, as a stream of server-sent events (the HTML standard's text/event-stream).
 * Spans that do not fit into the buffer are dropped, as are spans on which its filter takes too long; a comment states
 * the minimum number of dropped spans.
 */
export class Listener {
  readonly #filter: Filter | undefined
  readonly #events = new PassThrough()
  #dropped = 0
  #spentMs = 0

  constructor(filter: Filter | undefined) {
    this.#filter = filter
    this.comment('listening')
  }

  get events(): Readable {
    return this.#events
  }

  /** How long the last offer took. */
  get spentMs(): number {
    return this.#spentMs
  }

  /**
   * Sends the spans that the filter matches, yielding to other work. Spans left after this many milliseconds are
   * dropped.
   */
  async offer(spans: readonly ArrivedSpan[], timeMaxMs: number): Promise<void> {
    this.#spentMs = 0
    for (const [at, span] of spans.entries()) {
      if (this.#spentMs > timeMaxMs) return this.skip(spans.length - at)
      await nextTurn()
      const begin = performance.now()
      this.#offer(span)
      this.#spentMs += performance.now() - begin
    }
  }

  #offer(span: ArrivedSpan): void {
    if (this.#events.writableEnded || this.#events.destroyed) return
    try {
      if (this.#filter && !matchSpan(this.#filter, span.matchable, new MatchWork(SPAN_STEPS_MAX))) return
      if (this.#events.writableLength > WAITING_BYTES_MAX) this.skip(1)
      else this.#send(span.event)
    } catch (error) {
      if (!(error instanceof MatchTooLong)) throw error
      this.skip(1)
    }
  }

  /** Spans that were not even examined. */
  skip(count: number): void {
    this.#dropped += count
  }

  /** Reports dropped spans, if any. */
  sayDropped(): void {
    if (this.#dropped > 0) this.#send('')
  }

  /** Sends a comment; an empty one keeps the connection alive. */
  comment(text = ''): void {
    this.#send(commentText(text))
  }

  end(): void {
    this.#events.end()
  }

  #send(event: string): void {
    if (this.#events.writableEnded || this.#events.writableLength > WAITING_BYTES_MAX) return
    if (this.#dropped > 0) this.#events.write(commentText(`dropped ${this.#dropped} spans`))
    this.#dropped = 0
    this.#events.write(event)
  }
}
