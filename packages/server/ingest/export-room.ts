import type { IncomingMessage } from 'node:http'
import { invalid, Problem } from '@spanhouse/model'
import { Refusal } from '@spanhouse/span-stream'
import type { Gauge } from 'prom-client'

/** Bytes of exports in memory at once, as received and as decompressed. */
const BYTES_MAX = 128 * 1024 * 1024

/** How long exports are refused unread when the stream has refused one. */
const PAUSE_MS = 500

/** Counts so many bytes more until the export is done with. Throws a Problem `overloaded` when there is no room. */
export type Hold = (bytes: number) => void

/**
 * Lets exports in as long as there is room for them. The bytes of all that are being received or worked on are counted:
 * each has a limit, but there is none for how many senders there are. What finds no room is refused with a time to come
 * back, and so is, for a moment, whatever comes after the stream has refused an export: to read, inflate and scan exports
 * that are refused in the end would take from the writers the time that they need to make room.
 */
export class ExportRoom {
  #bytes = 0
  #refusal: Refusal | undefined
  #refusedAt = Number.NEGATIVE_INFINITY
  readonly #gauge: Gauge

  /** The gauge shows how many there are. */
  constructor(gauge: Gauge) {
    this.#gauge = gauge
  }

  async run<T>(work: (hold: Hold) => Promise<T>): Promise<T> {
    if (this.#refusal && performance.now() < this.#refusedAt + PAUSE_MS) throw this.#refusal
    let held = 0
    const hold = (bytes: number): void => {
      if (this.#bytes + bytes > BYTES_MAX) {
        throw new Problem('overloaded', 'Too many exports are being received', { retryAfterSeconds: 1 })
      }
      held += bytes
      this.#add(bytes)
    }
    try {
      return await work(hold)
    } catch (error) {
      if (error instanceof Refusal && error.why !== 'busy') {
        this.#refusal = error
        this.#refusedAt = performance.now()
      }
      throw error
    } finally {
      this.#add(-held)
    }
  }

  #add(bytes: number): void {
    this.#bytes += bytes
    this.#gauge.set(this.#bytes)
  }
}

/**
 * The whole body. Throws a Problem: `too_large` beyond `bytesMax`, `invalid` when the sender breaks it off, and what `hold`
 * throws. What is left of a body that is refused stays in the request.
 */
export async function readBody(request: IncomingMessage, bytesMax: number, hold: Hold): Promise<Buffer> {
  if (Number(request.headers['content-length']) > bytesMax) throw tooLarge(bytesMax)
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      bytes += chunk.length
      if (bytes > bytesMax) throw tooLarge(bytesMax)
      hold(chunk.length)
      chunks.push(chunk)
    }
  } catch (error) {
    throw error instanceof Problem ? error : invalid(`The body was broken off: ${(error as Error).message}`)
  }
  return Buffer.concat(chunks, bytes)
}

const tooLarge = (bytesMax: number): Problem => new Problem('too_large', `The body is larger than ${bytesMax} bytes`)
