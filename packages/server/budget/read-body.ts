import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import { invalid, Problem } from '@spanhouse/model'
import { decompress } from '@spanhouse/otlp'
import { freeBytes } from './free-bytes.ts'
import type { Held } from './room.ts'

/** A body that holds memory must grow: within this many milliseconds … */
const GROW_MS = 10_000
/** … by this fraction of what has arrived. A steady sender is always fast enough. */
const GROW_PART = 1 / 16

/** A request over HTTP/1, or a stream of HTTP/2, whose headers are not part of it. */
type Arriving = Readable & { readonly headers?: IncomingHttpHeaders }

/**
 * Reads the whole body as sent, counting it as it arrives. Rejects with a Problem: `too_large` beyond `bytesMax`,
 * `too_slow` if it almost stops growing, `invalid` if the sender aborts it, `overloaded` if there is no room. Nothing
 * is held then, and the rest of the body is discarded.
 */
export function readBody(request: Arriving, bytesMax: number, held: Held): Promise<Buffer> {
  if (Number(request.headers?.['content-length']) > bytesMax) return Promise.reject(tooLarge(bytesMax))
  const chunks: Buffer[] = []
  return watchBody(request, {
    bytesMax,
    held,
    refusal: tooLarge,
    onData: chunk => chunks.push(chunk),
    onEnd: bytes => {
      const body = Buffer.concat(chunks, bytes)
      for (const chunk of chunks) freeBytes(chunk)
      return body
    },
  })
}

interface Watched<T> {
  bytesMax: number
  held: Held
  /** Beyond `bytesMax`. */
  refusal(bytesMax: number): Problem
  onData(chunk: Buffer): void
  onEnd(bytes: number): T
}

/** Listens to a body in addition to other listeners; see {@link readBody}. */
export function watchBody<T>(request: Arriving, { bytesMax, held, refusal, onData, onEnd }: Watched<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    let bytes = 0
    const settle = (act: () => void): void => {
      stopWatching()
      request.off('data', take).off('end', finish).off('error', fail).off('close', fail)
      act()
    }
    const refuse = (error: unknown): void =>
      settle(() => {
        held.release()
        reject(error)
      })
    const take = (chunk: Buffer): void => {
      bytes += chunk.length
      try {
        if (bytes > bytesMax) throw refusal(bytesMax)
        held.add(chunk.length)
        onData(chunk)
      } catch (error) {
        refuse(error)
      }
    }
    const finish = (): void => settle(() => resolve(onEnd(bytes)))
    const fail = (error?: Error): void =>
      refuse(invalid(`The body is incomplete: ${error?.message ?? 'the connection was closed'}`))
    const stopWatching = watchGrowth(() => bytes, refuse)
    // A stream of HTTP/2 without a body ends before anybody listens.
    if (request.readableEnded) return finish()
    if (request.destroyed) return fail()
    request.on('data', take).on('end', finish).on('error', fail).on('close', fail)
  })
}

/** Returns a function that stops it. */
function watchGrowth(bytesNow: () => number, refuse: (problem: Problem) => void): () => void {
  let before = 0
  const timer = setInterval(() => {
    const now = bytesNow()
    if (before > 0 && now - before <= before * GROW_PART)
      refuse(new Problem('too_slow', 'The request took too long to arrive.'))
    before = now
  }, GROW_MS)
  return () => clearInterval(timer)
}

const tooLarge = (bytesMax: number): Problem => new Problem('too_large', `The body is larger than ${bytesMax} bytes`)

/**
 * How many bodies are decompressed at a time: as many as there are threads for it, so that more would not be faster.
 */
const DECOMPRESSIONS_MAX = 4
let decompressions = 0
const waiting: (() => void)[] = []

/**
 * The decompressed body; what was sent is freed if it was compressed. Its size is known only afterwards, and is then
 * counted instead of the compressed size: so only a few are decompressed at a time. Rejects as `decompress` does, and
 * with `overloaded` if there is no room.
 */
export async function inflateBody(
  body: Buffer,
  contentEncoding: string | undefined,
  { bytesMax, held }: { bytesMax: number; held: Held },
): Promise<Buffer> {
  if (decompressions < DECOMPRESSIONS_MAX) decompressions++
  else await new Promise<void>(resolve => waiting.push(resolve))
  try {
    const bytes = await decompress(body, contentEncoding, { bytesMax })
    if (bytes !== body) {
      held.add(bytes.length - body.length)
      freeBytes(body)
    }
    return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  } finally {
    const next = waiting.shift()
    if (next) next()
    else decompressions--
  }
}
