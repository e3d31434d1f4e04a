import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Problem } from '@spanhouse/model'
import { encodeTraces } from '@spanhouse/otlp'
import { openEmbeddedStream, type SpanMessage, type SpanStream } from '@spanhouse/span-stream'
import { pino } from 'pino'
import { Registry } from 'prom-client'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Metrics } from '../metrics.ts'
import { Quotas } from '../shares/quotas.ts'
import { Exports, UNCOUNTED } from './exports.ts'

let path: string
let stream: SpanStream
beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'spanhouse-exports-'))
  stream = await openEmbeddedStream({ path, bytesMax: 2 ** 24 })
})
afterEach(async () => {
  await stream.close()
  await rm(path, { recursive: true })
})

const sender: any = { kind: 'project', project_id: randomUUID(), user_id: randomUUID(), quota: {} }

/** An export of one span with a long text, in memory of its own. */
function exported(): Uint8Array {
  const attributes = [{ key: 'input.value', value: { stringValue: randomBytes(50_000).toString('hex') } }]
  const span = { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), name: 'call', attributes }
  return Uint8Array.from(encodeTraces({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] }))
}

const open = (to = stream) =>
  new Exports({
    stream: to,
    quotas: new Quotas(new Registry()),
    metrics: new Metrics(undefined),
    log: pino({ level: 'silent' }),
  })

/** An export whose resource is large, with a span for each of these traces. */
function withLargeResource(traces: number): Uint8Array {
  const attributes = [{ key: 'config', value: { stringValue: 'x'.repeat(1_000_000) } }]
  const spans = Array.from({ length: traces }, (_, at) => ({
    traceId: String(at + 1).padStart(32, '0'),
    spanId: 'b'.repeat(16),
    name: 'call',
  }))
  return encodeTraces({ resourceSpans: [{ resource: { attributes }, scopeSpans: [{ spans }] }] })
}

test('what the parts of an export take is counted, and one without room is not published', async () => {
  let held = 0
  let heldMax = Number.POSITIVE_INFINITY
  const counted = {
    add(bytes: number) {
      if (held + bytes > heldMax) throw new Problem('overloaded', 'full')
      held += bytes
    },
  }
  const published: SpanMessage[][] = []
  const parts = { partitions: 8, publish: async (messages: SpanMessage[]) => void published.push(messages) }
  const exports = open(parts as unknown as SpanStream)
  const read = async () => {
    const bytes = withLargeResource(100)
    held = bytes.length
    return bytes
  }
  await exports.accept(sender, counted, read)
  expect(held).toBeGreaterThan(8_000_000)
  heldMax = 8_000_000
  await expect(exports.accept(sender, counted, read)).rejects.toMatchObject({ code: 'overloaded' })
  expect(published).toHaveLength(1)
})

test('the memory of an export is freed when the stream has it', async () => {
  const bytes = exported()
  const copy = Buffer.from(bytes)
  expect(await open().accept(sender, UNCOUNTED, async () => bytes)).toMatchObject({ count: 1, rejected: 0 })
  expect(bytes).toHaveLength(0)
  const ending = new AbortController()
  const limits = { spansMax: 1, sharedSpansMax: 1, bytesMax: 2 ** 24, lingerMs: 0 }
  const deliveries = stream.deliveries({ consumer: 'writer', partitions: [0], ...limits, signal: ending.signal })
  for await (const [delivery] of deliveries) {
    expect(copy.equals(delivery?.message.body as Uint8Array)).toBe(true)
    await delivery?.ack()
    ending.abort()
  }
})

test('an export that the stream does not take keeps its bytes', async () => {
  const bytes = exported()
  const copy = Buffer.from(bytes)
  await stream.close()
  await expect(open().accept(sender, UNCOUNTED, async () => bytes)).rejects.toMatchObject({ code: 'overloaded' })
  expect(copy.equals(bytes)).toBe(true)
})
