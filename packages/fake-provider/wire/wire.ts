import type { Asked, Body } from '../asked.ts'
import type { Reply } from '../reply.ts'

/** A supported interface: how a request is read and how a response is written. */
export interface Wire {
  /** The end of the path. */
  path: RegExp
  read(body: Body, path: string): Asked
  /** The whole response. */
  whole(asked: Asked, reply: Reply): object
  /** The same in chunks, as server-sent events. */
  pieces(asked: Asked, reply: Reply): string[]
  error(status: number, message: string): object
}

/** One server-sent event. */
export const eventOf = (data: object, event?: string): string =>
  `${event ? `event: ${event}\n` : ''}data: ${JSON.stringify(data)}\n\n`

/** A text in chunks of one word each, with the preceding space; long texts in larger chunks. */
export function tokensIn(text: string): string[] {
  return text.length > 100_000 ? (text.match(/.{1,65536}/gs) ?? []) : (text.match(/\s*\S+\s*$|\s*\S+/g) ?? [])
}
