import type { Asked, Body } from '../asked.ts'
import type { Reply } from '../reply.ts'

/** One of the interfaces that are spoken: how a request is read and how an answer is written. */
export interface Wire {
  /** Ends the path. */
  path: RegExp
  read(body: Body, path: string): Asked
  /** The answer as one. */
  whole(asked: Asked, reply: Reply): object
  /** The same in pieces, as server-sent events. */
  pieces(asked: Asked, reply: Reply): string[]
  error(status: number, message: string): object
}

/** One server-sent event. */
export const eventOf = (data: object, event?: string): string =>
  `${event ? `event: ${event}\n` : ''}data: ${JSON.stringify(data)}\n\n`

/** A text in pieces of a word each, with the space before it; long ones in larger pieces. */
export function tokensIn(text: string): string[] {
  return text.length > 100_000 ? (text.match(/.{1,65536}/gs) ?? []) : (text.match(/\s*\S+\s*$|\s*\S+/g) ?? [])
}
