import type { Dispatcher } from 'undici'
import { OutboundError } from './outbound-error.ts'

interface Reading {
  bytesMax: number
  mayBeCompressed: boolean | undefined
  /** The error to throw instead of the HTTP client's. */
  toError(error: unknown): unknown
  /** Called once, when nothing more will be read. */
  done(): void
}

/** Statuses of responses without a body. */
const EMPTY = new Set([204, 205, 304])

/**
 * The response as a `Response` that counts the bytes of its body as they arrive. Throws OutboundError if it is
 * unusable.
 */
export function answerOf({ statusCode, headers, body }: Dispatcher.ResponseData, reading: Reading): Response {
  // An aborted body fails whether or not anybody reads it.
  body.on('error', () => {})
  const mistake = mistakeIn(statusCode, headers, reading)
  if (mistake !== null) {
    body.destroy()
    throw mistake
  }
  const init = { status: statusCode, headers: pairs(headers) }
  if (!EMPTY.has(statusCode)) return new Response(bounded(body, reading), init)
  body.destroy()
  reading.done()
  return new Response(null, init)
}

function mistakeIn(
  status: number,
  headers: Dispatcher.ResponseData['headers'],
  { bytesMax, mayBeCompressed }: Pick<Reading, 'bytesMax' | 'mayBeCompressed'>,
) {
  if (status < 200 || status > 599)
    return new OutboundError('invalid_response', `The response has the status ${status}`)
  const coding = headers['content-encoding'] ?? 'identity'
  // Compression was not requested, and the size of a decompressed body is unknown.
  if (coding !== 'identity' && !mayBeCompressed)
    return new OutboundError('invalid_response', `The response is compressed (${coding})`)
  return Number(headers['content-length'] ?? 0) > bytesMax ? tooLarge(bytesMax) : null
}

const tooLarge = (bytesMax: number): OutboundError =>
  new OutboundError('too_large', `The response is larger than ${bytesMax} bytes`)

const pairs = (headers: Dispatcher.ResponseData['headers']): [string, string][] =>
  Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().map((one): [string, string] => [name, one]))

/**
 * The body's bytes as they arrive; if the reader pauses, so does the sender; cancelling closes the connection. Listens
 * to events, since an iterator over the body takes several promises and listeners for each answer.
 */
function bounded(body: Dispatcher.ResponseData['body'], { bytesMax, toError, done }: Reading): ReadableStream {
  let bytes = 0
  const start = (controller: ReadableStreamDefaultController): void => {
    const fail = (error: unknown): void => {
      done()
      controller.error(toError(error))
    }
    body.on('data', (piece: Buffer) => {
      body.pause()
      bytes += piece.length
      if (bytes <= bytesMax) return controller.enqueue(piece)
      fail(tooLarge(bytesMax))
      body.destroy()
    })
    body.pause()
    body.once('end', () => {
      done()
      controller.close()
    })
    body.once('error', fail)
  }
  const pull = (): void => void body.resume()
  const cancel = (): void => {
    done()
    body.destroy()
  }
  return new ReadableStream({ start, pull, cancel }, { highWaterMark: 0 })
}
