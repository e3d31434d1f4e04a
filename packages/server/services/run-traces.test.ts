import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { RunSpan } from '@spanhouse/runtime'
import { openEmbeddedStream, type SpanStream } from '@spanhouse/span-stream'
import pino from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Metrics } from '../metrics.ts'
import { RunTraces } from './run-traces.ts'

/** Runs leave traces in a real stream, which has room for a few. */
const BYTES_MAX = 400_000

let path: string
let stream: SpanStream
let traces: RunTraces
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'spanhouse-run-traces-'))
  stream = await openEmbeddedStream({ path, bytesMax: BYTES_MAX })
  traces = new RunTraces(stream, new Metrics(undefined), pino({ level: 'silent' }))
})
afterEach(async () => {
  await stream.close()
  await rm(path, { recursive: true, force: true })
})

const sender = { project_id: randomUUID(), user_id: randomUUID() }

const spanOf = (text = 'x'): RunSpan => ({
  trace_id: randomUUID().replaceAll('-', ''),
  span_id: '1'.repeat(16),
  span_name: 'probe_v0',
  span_kind: 'SPAN_KIND_SERVER',
  start_time: Date.UTC(2026, 0, 1) * 1000,
  end_time: Date.UTC(2026, 0, 1, 0, 0, 1) * 1000,
  status_code: 'STATUS_CODE_OK',
  attributes: { ag: { data: { outputs: text } } },
})

/** Takes what is in the stream out of it until `count` messages have come. */
async function drain(count: number): Promise<void> {
  const ending = new AbortController()
  const options = {
    partitions: [0],
    spansMax: 1_000,
    sharedSpansMax: 1_000,
    bytesMax: 1e6,
    lingerMs: 0,
    signal: ending.signal,
  }
  let seen = 0
  for await (const batch of stream.deliveries({ consumer: 'writer', ...options }))
    for (const delivery of batch) {
      await delivery.ack()
      if (++seen >= count) ending.abort()
    }
}

test('traces of runs that end together are all published', async () => {
  await Promise.all(Array.from({ length: 8 }, () => traces.publish(sender, [spanOf()])))
  expect((await stream.stats()).depth).toBe(8)
  await drain(8)
  expect((await stream.stats()).depth).toBe(0)
})

test('while the stream is full traces wait, and come when there is room', async () => {
  await traces.publish(sender, [spanOf('x'.repeat(BYTES_MAX - 20_000))])
  const publish = vi.spyOn(stream, 'publish')
  let isTaken = false
  const waiting = traces.publish(sender, [spanOf('x'.repeat(30_000))]).then(() => {
    isTaken = true
  })
  const refused = (): number => publish.mock.settledResults.filter(({ type }) => type === 'rejected').length
  await expect.poll(refused).toBeGreaterThan(1)
  // One for which there will never be room is lost by itself.
  await expect(traces.publish(sender, [spanOf('y'.repeat(2 * BYTES_MAX))])).rejects.toThrow('limit')
  expect(isTaken).toBe(false)
  await drain(1)
  await waiting
  await drain(1)
})

test('a stop waits for pending traces, and traces that cannot be delivered are lost with an error', async () => {
  await traces.publish(sender, [spanOf('x'.repeat(BYTES_MAX - 20_000))])
  const end = Promise.withResolvers<void>()
  traces.hold(end.promise)
  let isStopped = false
  const stopped = traces.stop().then(() => {
    isStopped = true
  })
  const lost = traces.publish(sender, [spanOf('x'.repeat(30_000))])
  lost.catch(() => {})
  expect(isStopped).toBe(false)
  end.resolve()
  await stopped
  await expect(lost).rejects.toThrow()
})
