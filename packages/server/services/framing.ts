import type { Json, JsonObject } from '@spanhouse/model'
import type { RunEvent } from '@spanhouse/runtime'
import { commentText } from '../http/answer/server-sent-events.ts'

/** How a stream is written: the text of each event, and of the whole response at its end. */
export interface Framing {
  readonly headers: Readonly<Record<string, string>>
  /** The text before the first event. */
  begin(): string
  event(event: RunEvent): string
  end(envelope: JsonObject): string
  /** Sent after a period of silence; absent if the format has no such thing. */
  readonly keepAlive?: string
}

/** Streams are neither cached nor buffered nor compressed. */
const AT_ONCE = { 'cache-control': 'no-cache', 'x-accel-buffering': 'no', 'content-encoding': 'identity' } as const

/** The headers that all streams of server-sent events have. */
export const AT_ONCE_SSE = { ...AT_ONCE, 'content-type': 'text/event-stream' } as const

/** One server-sent event (text/event-stream of the HTML standard). */
export const sseFrame = (value: Json | RunEvent): string => `data: ${JSON.stringify(value)}\n\n`

export const KEEP_ALIVE = commentText('keepalive')

/** The events and then the whole response, each as one server-sent event. */
export const sseFraming = (): Framing => ({
  headers: AT_ONCE_SSE,
  begin: () => '',
  event: sseFrame,
  end: sseFrame,
  keepAlive: KEEP_ALIVE,
})

/** The events and then the whole response, each on one line. */
export const linesFraming = (mediaType: string): Framing => ({
  headers: { ...AT_ONCE, 'content-type': mediaType },
  begin: () => '',
  event: event => `${JSON.stringify(event)}\n`,
  end: envelope => `${JSON.stringify(envelope)}\n`,
})
