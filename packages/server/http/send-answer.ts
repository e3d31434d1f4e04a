import { AsyncLocalStorage } from 'node:async_hooks'
import { Readable } from 'node:stream'
import { isSmall, renderJson } from '@spanhouse/model'
import type { FastifyReply } from 'fastify'

/** An answer must be taken at this pace, after a time for whatever may be in the way: what it holds is kept from others. */
const PACE = { graceMs: 60_000, bytesPerSecond: 64 * 1024, lookMs: 5_000 }

/**
 * Sends a value as JSON. A small one goes as one text with its length. A large one is rendered while it is sent, not faster than it is
 * taken. What fails before the first part is there is thrown, to be answered as an error; after it the connection is broken
 * off, so that no reader takes a part for the whole.
 */
export async function sendAnswer(reply: FastifyReply, answer: unknown): Promise<FastifyReply> {
  reply.type('application/json; charset=utf-8')
  if (isSmall(answer)) return reply.send(JSON.stringify(answer))
  const pieces = renderJson(answer)
  const first = await pieces.next()
  const second = await pieces.next()
  if (second.done) return reply.send(first.value ?? '')
  return reply.send(streamOf([first.value as Buffer, second.value], pieces))
}

/** The pieces as a stream that ends with an error when it is read too slowly. */
function streamOf(begun: readonly Buffer[], rest: AsyncGenerator<Buffer>): Readable {
  const since = performance.now()
  let bytes = 0
  // The stream asks for pieces when the socket has room: what they take to read counts for the caller all the same.
  const asCaller = AsyncLocalStorage.snapshot()
  async function* pieces(): AsyncGenerator<Buffer> {
    try {
      yield* begun
      for (let next = await asCaller(() => rest.next()); !next.done; next = await asCaller(() => rest.next())) {
        bytes += next.value.length
        yield next.value
      }
    } finally {
      await rest.return(undefined)
    }
  }
  const stream = Readable.from(pieces(), { objectMode: false })
  const timer = setInterval(() => {
    const seconds = (performance.now() - since - PACE.graceMs) / 1000
    if (seconds * PACE.bytesPerSecond > bytes) stream.destroy(new Error('the answer is taken too slowly'))
  }, PACE.lookMs)
  stream.once('close', () => clearInterval(timer))
  return stream
}
