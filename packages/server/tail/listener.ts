import { PassThrough, type Readable } from 'node:stream'
import type { SpanJson } from '@spanhouse/model'
import { type Filter, type MatchableSpan, matchSpan } from '@spanhouse/query'

/** What may wait for a listener who reads more slowly than spans come. */
const WAITING_BYTES_MAX = 1024 * 1024

/**
 * Somebody who listens to the spans of a project, as a stream of server-sent events (the HTML standard's text/event-stream).
 * What does not fit into the room for what waits is dropped, and a comment says how many spans that were at least.
 */
export class Listener {
  readonly #filter: Filter | undefined
  readonly #events = new PassThrough()
  #dropped = 0

  constructor(filter: Filter | undefined) {
    this.#filter = filter
    this.comment('listening')
  }

  get events(): Readable {
    return this.#events
  }

  offer(span: SpanJson, matchable: MatchableSpan): void {
    if (this.#filter && !matchSpan(this.#filter, matchable)) return
    if (this.#events.writableLength > WAITING_BYTES_MAX) this.#dropped++
    else this.#send(`event: span\ndata: ${JSON.stringify(span)}\n\n`)
  }

  /** Spans that were not even looked at. */
  skip(count: number): void {
    this.#dropped += count
  }

  /** Says something that is no span; with nothing to say it keeps the connection alive. */
  comment(text = ''): void {
    this.#send(`: ${text}\n\n`)
  }

  end(): void {
    this.#events.end()
  }

  #send(event: string): void {
    if (this.#events.writableEnded || this.#events.writableLength > WAITING_BYTES_MAX) return
    if (this.#dropped > 0) this.#events.write(`: dropped ${this.#dropped} spans\n\n`)
    this.#dropped = 0
    this.#events.write(event)
  }
}
