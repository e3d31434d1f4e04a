import type { IncomingMessage } from 'node:http'

const DISCARD_BYTES_MAX = 128 * 1024 * 1024
const DISCARD_MS_MAX = 5_000

/**
 * Reads and discards the rest of a rejected body. If a response is followed by a closed connection while the client is
 * still sending, the client usually sees a broken connection instead of the response and would retry. Resolves at the
 * end of the body, or after a time limit.
 */
export function discardRest(request: IncomingMessage): Promise<void> {
  // Of a request that did not come over the network, only the end of its stream tells.
  if (request.complete || request.readableEnded || request.destroyed) return Promise.resolve()
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
