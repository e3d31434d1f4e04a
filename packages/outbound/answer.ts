import type { Dispatcher } from 'undici'
import { OutboundError } from './outbound-error.ts'

interface Reading {
  bytesMax: number
  /** What to throw instead of the HTTP client's error. */
  toError(error: unknown): unknown
  /** Called once, when nothing more will be read. */
  done(): void
}

/** Statuses whose answers have no body. */
const EMPTY = new Set([204, 205, 304])

/** The answer as a `Response` that counts the bytes of its body while they come. Throws OutboundError when it is unusable. */
export function answerOf({ statusCode, headers, body }: Dispatcher.ResponseData, reading: Reading): Response {
  // An aborted body fails whether or not anybody reads it.
  body.on('error', () => {})
  const mistake = mistakeIn(statusCode, headers, reading.bytesMax)
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

function mistakeIn(status: number, headers: Dispatcher.ResponseData['headers'], bytesMax: number) {
  if (status < 200 || status > 599) return new OutboundError('invalid_response', `The answer has the status ${status}`)
  const coding = headers['content-encoding'] ?? 'identity'
  // None was asked for, and what a compressed body grows to nobody knows.
  if (coding !== 'identity') return new OutboundError('invalid_response', `The answer is compressed (${coding})`)
  return Number(headers['content-length'] ?? 0) > bytesMax ? tooLarge(bytesMax) : null
}

const tooLarge = (bytesMax: number): OutboundError =>
  new OutboundError('too_large', `The answer is larger than ${bytesMax} bytes`)

const pairs = (headers: Dispatcher.ResponseData['headers']): [string, string][] =>
  Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().map((one): [string, string] => [name, one]))

/** The body's bytes as they come; reading no further makes the sender wait, cancelling closes the connection. */
function bounded(body: Dispatcher.ResponseData['body'], { bytesMax, toError, done }: Reading): ReadableStream {
  const pieces = body[Symbol.asyncIterator]()
  let bytes = 0
  const next = async (): Promise<Uint8Array | undefined> => {
    const { value } = (await pieces.next()) as { value?: Buffer }
    bytes += value?.length ?? 0
    if (bytes <= bytesMax) return value
    body.destroy()
    throw tooLarge(bytesMax)
  }
  const pull = async (controller: ReadableStreamDefaultController): Promise<void> => {
    try {
      const piece = await next()
      if (piece !== undefined) return controller.enqueue(piece)
      done()
      controller.close()
    } catch (error) {
      done()
      controller.error(toError(error))
    }
  }
  const cancel = (): void => {
    done()
    body.destroy()
  }
  return new ReadableStream({ pull, cancel }, { highWaterMark: 0 })
}
