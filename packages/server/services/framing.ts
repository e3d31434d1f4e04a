import type { Json, JsonObject } from '@spanhouse/model'
import type { RunEvent } from '@spanhouse/runtime'

/** How a stream is written: what stands for each event, and for the answer at its end. */
export interface Framing {
  readonly headers: Readonly<Record<string, string>>
  /** What comes first. */
  begin(): string
  event(event: RunEvent): string
  end(envelope: JsonObject): string
  /** Said when there has been nothing to say for a while; absent where the format has nothing for it. */
  readonly keepAlive?: string
}

/** Streams are for the one who asked, and at once. */
const AT_ONCE = { 'cache-control': 'no-cache', 'x-accel-buffering': 'no', 'content-encoding': 'identity' } as const

/** A part of a stream of server-sent events (the HTML standard's text/event-stream). */
export const sseFrame = (value: Json | RunEvent): string => `data: ${JSON.stringify(value)}\n\n`

export const KEEP_ALIVE = ': keepalive\n\n'

/** Events and then the whole answer, each as one server-sent event. */
export const sseFraming = (): Framing => ({
  headers: { ...AT_ONCE, 'content-type': 'text/event-stream' },
  begin: () => '',
  event: sseFrame,
  end: sseFrame,
  keepAlive: KEEP_ALIVE,
})

/** Events and then the whole answer, each on a line. */
export const linesFraming = (mediaType: string): Framing => ({
  headers: { ...AT_ONCE, 'content-type': mediaType },
  begin: () => '',
  event: event => `${JSON.stringify(event)}\n`,
  end: envelope => `${JSON.stringify(envelope)}\n`,
})

/** Further headers of the stream that user interfaces read. */
export const AT_ONCE_SSE = { ...AT_ONCE, 'content-type': 'text/event-stream' } as const
