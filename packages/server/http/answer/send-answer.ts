import { AsyncLocalStorage } from 'node:async_hooks'
import { Readable } from 'node:stream'
import { isSmall, renderJson } from '@spanhouse/model'
import type { FastifyReply } from 'fastify'

/** A client must read a response at this pace, after a grace period: the memory it holds is unavailable to others. */
const PACE = { graceMs: 60_000, bytesPerSecond: 64 * 1024, lookMs: 5_000 }

/** JSON lines that are read while they are sent: an answer that takes as long as there are any. */
export class JsonLines {
  readonly pieces: AsyncGenerator<string>

  /** Each piece may have several lines. */
  constructor(pieces: AsyncGenerator<string>) {
    this.pieces = pieces
  }
}

/**
 * Sends a value as JSON. A small value is sent as one text with its length. A large one is rendered while it is sent,
 * no faster than it is read. An error before the first piece is thrown, so that it becomes an error response; after
 * that the connection is broken, so that no client takes a part for the whole.
 */
export async function sendAnswer(reply: FastifyReply, answer: unknown): Promise<FastifyReply> {
  if (answer instanceof JsonLines) return sendPieces(reply.type('application/jsonl'), bytesOf(answer.pieces))
  reply.type('application/json; charset=utf-8')
  if (isSmall(answer)) return reply.send(JSON.stringify(answer))
  return sendPieces(reply, renderJson(answer))
}

async function* bytesOf(pieces: AsyncGenerator<string>): AsyncGenerator<Buffer> {
  for await (const piece of pieces) yield Buffer.from(piece)
}

async function sendPieces(reply: FastifyReply, pieces: AsyncGenerator<Buffer>): Promise<FastifyReply> {
  const first = await pieces.next()
  const second = await pieces.next()
  if (second.done) return reply.send(first.value ?? '')
  if (reply.raw.destroyed) {
    // The caller has left. A stream would not be begun, and so not be ended either.
    await pieces.return(undefined)
    return reply.send('')
  }
  if (reply.request.method === 'HEAD') {
    // fastify would read a stream to its end, although nothing of it is sent.
    await pieces.return(undefined)
    return reply.send(Readable.from([]))
  }
  return reply.send(streamOf([first.value as Buffer, second.value], pieces))
}

/** The pieces as a stream that fails if it is read too slowly. */
function streamOf(begun: readonly Buffer[], rest: AsyncGenerator<Buffer>): Readable {
  const since = performance.now()
  let bytes = 0
  // The stream requests pieces when the socket has room; their reads still count for the caller.
  const asCaller = AsyncLocalStorage.snapshot()
  async function* pieces(): AsyncGenerator<Buffer> {
    try {
      // Not `yield*`: a list takes no error, such as that of a caller who leaves.
      for (const piece of begun) yield piece
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
    if (seconds * PACE.bytesPerSecond > bytes) stream.destroy(new Error('the client reads the response too slowly'))
  }, PACE.lookMs)
  stream.once('close', () => clearInterval(timer))
  return stream
}
