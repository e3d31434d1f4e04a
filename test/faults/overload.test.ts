import { rm } from 'node:fs/promises'
import { request } from 'node:http'
import { status } from '@grpc/grpc-js'
import { newDataDir, type ServerProcess, startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { callGrpc, type GrpcAnswer } from '../grpc.ts'
import { eventually } from '../harness.ts'
import { exportOf, newTraceId, type OtlpSpan, otlpSpan, protobufOf } from '../otlp.ts'

let dataDir: string
let server: ServerProcess
beforeAll(async () => {
  dataDir = await newDataDir('overload')
  server = await startServerProcess({ dataDir, env: { SPANHOUSE_STREAM_BYTES_MAX: String(16 * 1024 * 1024) } })
})
afterAll(async () => {
  await server.kill()
  await rm(dataDir, { recursive: true, force: true })
})

test('beyond the limit of the stream exports get 503 with a time to come back, and nothing accepted is lost', async () => {
  let accepted = 0
  const refusals: Response[] = []
  const send = async (): Promise<void> => {
    while (refusals.length < 5) {
      const response = await fetch(`${server.url}/api/otlp/v1/traces`, {
        method: 'POST',
        headers: { authorization: `ApiKey ${server.apiKey}`, 'content-type': 'application/json' },
        body: largeExport(),
      })
      if (response.status !== 202) {
        refusals.push(response)
        continue
      }
      const { count } = (await response.json()) as { count: number }
      accepted += count
    }
  }
  await Promise.all(Array.from({ length: 8 }, send))
  for (const response of refusals) {
    expect(response.status).toBe(503)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
  }
  await eventually(async () => (await server.metric('spanhouse_spans_written_total')) >= accepted)
  await eventually(async () => (await server.metric('spanhouse_stream_messages')) === 0)
  expect(await server.metric('spanhouse_spans_written_total')).toBe(accepted)
  expect(await server.peakBytes()).toBeLessThan(2e9)
})

test('over gRPC they get UNAVAILABLE with a RetryInfo, and are accepted once there is room', async () => {
  const headers = { authorization: `ApiKey ${server.apiKey}` }
  let refused: GrpcAnswer | undefined
  const send = async (): Promise<void> => {
    while (!refused) {
      const answer = await callGrpc(server.grpcUrl, protobufOf(...largeTrace()), { headers })
      if (answer.code !== status.OK) refused = answer
    }
  }
  await Promise.all(Array.from({ length: 8 }, send))
  expect(refused).toMatchObject({ code: status.UNAVAILABLE, details: expect.stringContaining('size limit') })
  const [details] = refused?.trailers.get('grpc-status-details-bin') ?? []
  expect(String(details)).toContain('type.googleapis.com/google.rpc.RetryInfo')
  await eventually(
    async () => (await callGrpc(server.grpcUrl, protobufOf(...largeTrace()), { headers })).code === status.OK,
  )
})

const FILLER = 'a long answer '.repeat(2_000)

/** 100 spans of 28 KB each: eight at once are more than the stream takes, however fast the writer is. */
function largeTrace(): OtlpSpan[] {
  const traceId = newTraceId()
  return Array.from({ length: 100 }, () => otlpSpan({ traceId }, { filler: FILLER }))
}

const largeExport = (): string => JSON.stringify(exportOf(...largeTrace()))

const EXPORT_BYTES = 10_000_000
/** Together they leave too little of the 128 MiB for another one. */
const SENDERS = 13

test('exports in progress share a limit; one beyond it is asked to retry, and succeeds later', async () => {
  const sendWhole = (): Promise<Reply> => {
    const { answered, end } = startExport()
    end()
    return answered
  }
  // For a moment after the stream has refused a message, all exports are refused unread.
  await eventually(async () => (await sendWhole()).status === 400)
  const senders = Array.from({ length: SENDERS }, startExport)
  const held = SENDERS * (EXPORT_BYTES - 1)
  await eventually(async () => (await server.metric('spanhouse_bodies_bytes')) === held)
  expect(await sendWhole()).toEqual({ status: 503, retryAfter: '1' })
  for (const { end } of senders) end()
  // That it is no export shows when all of it is there.
  for (const { answered } of senders) expect((await answered).status).toBe(400)
  expect((await sendWhole()).status).toBe(400)
})

interface Reply {
  status: number | undefined
  retryAfter: string | undefined
}

/** Sends all of a large body but for the last byte, which `end` sends. */
function startExport(): { answered: Promise<Reply>; end(): void } {
  const { promise, resolve, reject } = Promise.withResolvers<Reply>()
  const headers = {
    authorization: `ApiKey ${server.apiKey}`,
    'content-type': 'application/x-protobuf',
    'content-length': EXPORT_BYTES,
  }
  const sending = request(`${server.url}/api/otlp/v1/traces`, { method: 'POST', headers }, answer => {
    answer.resume()
    resolve({ status: answer.statusCode, retryAfter: answer.headers['retry-after'] })
  })
  sending.once('error', reject)
  sending.write(Buffer.alloc(EXPORT_BYTES - 1))
  return { answered: promise, end: () => void sending.end(Buffer.alloc(1)) }
}
