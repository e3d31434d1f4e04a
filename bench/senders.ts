import { Agent, request } from 'node:http'
import { connect, type IncomingHttpHeaders } from 'node:http2'
import type { ServerProcess } from '@spanhouse/server/server-process.testing.ts'

/** Sends exports over one protocol. */
export interface Sender {
  /** Resolves to 0 when the export is accepted, otherwise to the seconds to wait. Rejects on any other answer. */
  send(body: Buffer): Promise<number>
  close(): void
}

/** A sender by protocol, for this number of exports at a time. Bodies are compressed by gzip. */
export const SENDERS = {
  http: ({ url, apiKey }: ServerProcess, concurrency: number): Sender => {
    const agent = new Agent({ keepAlive: true, maxSockets: concurrency })
    const headers = {
      authorization: `ApiKey ${apiKey}`,
      'content-type': 'application/x-protobuf',
      'content-encoding': 'gzip',
    }
    const send = (body: Buffer): Promise<number> =>
      new Promise((resolve, reject) => {
        const options = { method: 'POST', agent, headers: { ...headers, 'content-length': body.length } }
        const sending = request(`${url}/api/otlp/v1/traces`, options, answer => {
          const { statusCode, headers: answered } = answer.resume()
          answer.once('end', () => {
            if (statusCode === 202) resolve(0)
            else if (statusCode === 503) resolve(Number(answered['retry-after'] ?? 1))
            else reject(new Error(`the receiver answered ${statusCode}`))
          })
        })
        sending.once('error', reject)
        sending.end(body)
      })
    return { send, close: () => agent.destroy() }
  },

  /** As many connections as HTTP has, so that only the protocol differs. */
  grpc: ({ grpcUrl, apiKey }: ServerProcess, concurrency: number): Sender => {
    const sessions = Array.from({ length: concurrency }, () => connect(grpcUrl))
    const headers = {
      ':method': 'POST',
      ':path': '/opentelemetry.proto.collector.trace.v1.TraceService/Export',
      'content-type': 'application/grpc+proto',
      'grpc-encoding': 'gzip',
      te: 'trailers',
      authorization: `ApiKey ${apiKey}`,
    }
    let next = 0
    const send = (body: Buffer): Promise<number> =>
      new Promise((resolve, reject) => {
        const stream = (sessions[next++ % concurrency] as (typeof sessions)[0]).request(headers)
        const answer: IncomingHttpHeaders = {}
        for (const event of ['response', 'trailers'] as const)
          stream.on(event, (found: IncomingHttpHeaders) => void Object.assign(answer, found))
        stream.once('error', reject).once('close', () => {
          const status = answer['grpc-status']
          if (status === '0') resolve(0)
          else if (status === UNAVAILABLE) resolve(2)
          else reject(new Error(`the receiver answered ${status}: ${answer['grpc-message']}`))
        })
        const prefix = Buffer.alloc(5)
        prefix[0] = 1
        prefix.writeUInt32BE(body.length, 1)
        stream.write(prefix)
        stream.end(body)
        stream.resume()
      })
    return { send, close: () => sessions.forEach(session => void session.close()) }
  },
}

const UNAVAILABLE = '14'
