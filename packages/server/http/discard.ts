import type { IncomingMessage } from 'node:http'

const DISCARD_BYTES_MAX = 128 * 1024 * 1024
const DISCARD_MS_MAX = 5_000

/**
 * Reads and throws away what is still coming of a body that has been refused. An answer to a sender that is not done
 * sending, followed by the end of the connection, mostly reaches it as a broken connection and not as the answer: it
 * would try the same again. Resolves at the end of the body, or when it goes on for too long.
 */
export function discardRest(request: IncomingMessage): Promise<void> {
  if (request.complete || request.destroyed) return Promise.resolve()
  return new Promise(resolve => {
    let bytesLeft = DISCARD_BYTES_MAX
    const done = (): void => {
      clearTimeout(timer)
      request.off('data', count).off('end', done).off('error', done).off('close', done)
      resolve()
    }
    const count = (chunk: Buffer): void => {
      bytesLeft -= chunk.length
      if (bytesLeft < 0) done()
    }
    const timer = setTimeout(done, DISCARD_MS_MAX)
    request.on('data', count).on('end', done).on('error', done).on('close', done).resume()
  })
}
