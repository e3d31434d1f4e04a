import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import type { ServerProcess } from '@spanhouse/server/server-process.testing.ts'
import type { Export } from './exports.ts'

export interface LoadResult {
  /** Spans whose export was answered with 2xx. */
  acceptedSpans: number
  seconds: number
  /** Exports that were answered 503 at first and sent again. */
  overloaded: number
}

export interface LoadOptions {
  concurrency: number
  /** Exports a second; as fast as they go when left out. */
  rate?: number
  /** Called when an export has been accepted. */
  accepted?(sent: Export): void
}

/** Sends the exports, each until it is accepted; 503 waits as long as `Retry-After` says. */
export async function sendAll(
  server: ServerProcess,
  exports: Iterable<Export>,
  { concurrency, rate, accepted }: LoadOptions,
): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: concurrency })
  const source = exports[Symbol.iterator]()
  const result: LoadResult = { acceptedSpans: 0, seconds: 0, overloaded: 0 }
  const started = performance.now()
  let number = 0
  const work = async (): Promise<void> => {
    for (let next = source.next(); !next.done; next = source.next()) {
      if (rate) await delay(Math.max(0, started + (number++ / rate) * 1000 - performance.now()))
      for (let answer = await post(server, agent, next.value.body); answer.status !== 202; ) {
        if (answer.status !== 503) throw new Error(`the receiver answered ${answer.status}`)
        result.overloaded++
        await delay((answer.retryAfterSeconds ?? 1) * 1000)
        answer = await post(server, agent, next.value.body)
      }
      result.acceptedSpans += next.value.spans
      accepted?.(next.value)
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  result.seconds = (performance.now() - started) / 1000
  agent.destroy()
  return result
}

function post(
  { url, apiKey }: ServerProcess,
  agent: Agent,
  body: Buffer,
): Promise<{ status: number; retryAfterSeconds?: number }> {
  return new Promise((resolve, reject) => {
    const sending = request(
      `${url}/api/otlp/v1/traces`,
      {
        method: 'POST',
        agent,
        headers: {
          authorization: `ApiKey ${apiKey}`,
          'content-type': 'application/x-protobuf',
          'content-encoding': 'gzip',
          'content-length': body.length,
        },
      },
      answer => {
        answer.resume()
        const wait = answer.headers['retry-after']
        answer.once('end', () =>
          resolve({ status: answer.statusCode as number, ...(wait ? { retryAfterSeconds: Number(wait) } : {}) }),
        )
      },
    )
    sending.once('error', reject)
    sending.end(body)
  })
}
