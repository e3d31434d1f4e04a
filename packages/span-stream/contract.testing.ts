import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { microsNow } from '@spanhouse/model'
import { openEmbeddedStream } from './embedded.ts'
import { openJetStream } from './jetstream.ts'
import { type NatsServer, natsAvailable, startNats } from './nats-server.testing.ts'
import type { DeliveriesOptions, Delivery, SpanMessage, SpanStream } from './span-stream.ts'

/** How to open the stream of one test, in this or another process, as plain data. */
export type Place =
  | { kind: 'embedded'; path: string; partitions: number; bytesMax: number; holdMs?: number }
  | {
      kind: 'jetstream'
      url: string
      name: string
      partitions: number
      bytesMax: number
      ackWaitMs?: number
      holdMs?: number
    }

export const openPlace = (place: Place): Promise<SpanStream> =>
  place.kind === 'embedded' ? openEmbeddedStream(place) : openJetStream(place)

export interface Adapter {
  name: Place['kind']
  available: boolean
  start(): Promise<void>
  stop(): Promise<void>
  /** A new, unused stream. */
  place(limits?: { bytesMax?: number; holdMs?: number; ackWaitMs?: number }): Place
}

const BYTES_MAX = 64 * 2 ** 20

/** All implementations of SpanStream. */
export const adapters = (): Adapter[] => [embeddedAdapter(), jetStreamAdapter()]

function embeddedAdapter(): Adapter {
  let folder = ''
  let places = 0
  return {
    name: 'embedded',
    available: true,
    start: async () => {
      folder = await mkdtemp(join(tmpdir(), 'spanhouse-stream-'))
    },
    stop: () => rm(folder, { recursive: true, force: true }),
    place: ({ bytesMax = BYTES_MAX, holdMs } = {}) => ({
      kind: 'embedded',
      path: join(folder, String(places++)),
      partitions: 2,
      bytesMax,
      holdMs,
    }),
  }
}

function jetStreamAdapter(): Adapter {
  let server: NatsServer | undefined
  let places = 0
  return {
    name: 'jetstream',
    available: natsAvailable,
    start: async () => {
      server = await startNats()
    },
    stop: async () => server?.stop(),
    place: ({ bytesMax = BYTES_MAX, holdMs, ackWaitMs } = {}) => ({
      kind: 'jetstream',
      url: server?.url ?? '',
      name: `spans-${places++}`,
      partitions: 2,
      bytesMax,
      holdMs,
      ackWaitMs,
    }),
  }
}

let messages = 0

/** A message with its own id and by default a body of 100 bytes. */
export function createMessage(fields: Partial<SpanMessage> = {}): SpanMessage {
  const id = `message-${++messages}`
  return {
    id,
    partition: 0,
    project_id: '00000000-0000-0000-0000-00000000000a',
    user_id: '00000000-0000-0000-0000-00000000000b',
    accepted_at: microsNow(),
    span_count: 1,
    format: 'otlp',
    body: Buffer.from(id.padEnd(100, '.')),
    ...fields,
  }
}

/** Waits until the condition holds. */
export async function until(condition: () => boolean | Promise<boolean>, msMax = 20_000): Promise<void> {
  const deadline = performance.now() + msMax
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`The condition did not come true: ${condition}`)
    await new Promise(resolve => setTimeout(resolve, 5))
  }
}

export const OPTIONS: DeliveriesOptions = {
  consumer: 'writer',
  partitions: [0],
  spansMax: 1_000,
  sharedSpansMax: 1_000,
  bytesMax: 16 * 2 ** 20,
  lingerMs: 5,
  signal: new AbortController().signal,
}

/**
 * Passes each delivery to `handle` until `count` have been handled, then ends the iteration. By default `handle`
 * acknowledges. Fails if they do not arrive within twenty seconds.
 */
export async function consume(
  stream: SpanStream,
  count: number,
  handle: (delivery: Delivery) => Promise<unknown> | unknown = delivery => delivery.ack(),
  options: Partial<DeliveriesOptions> = {},
): Promise<Delivery[]> {
  const enough = new AbortController()
  const timer = setTimeout(() => enough.abort(), 20_000)
  const handled: Delivery[] = []
  for await (const batch of stream.deliveries({ ...OPTIONS, ...options, signal: enough.signal })) {
    // Copied with its body, which is removed when the message is settled.
    handled.push(...batch.map(delivery => ({ ...delivery, message: { ...delivery.message } })))
    await Promise.all(batch.map(handle))
    if (handled.length >= count) enough.abort()
  }
  clearTimeout(timer)
  if (handled.length < count) throw new Error(`Only ${handled.length} of ${count} deliveries came`)
  return handled
}

/** The sizes of the batches until `count` messages have arrived; all are acknowledged. */
export async function batchSizes(
  stream: SpanStream,
  count: number,
  options: Partial<DeliveriesOptions>,
): Promise<number[]> {
  const enough = new AbortController()
  const sizes: number[] = []
  let left = count
  for await (const batch of stream.deliveries({ ...OPTIONS, ...options, signal: enough.signal })) {
    sizes.push(batch.length)
    left -= batch.length
    if (left <= 0) enough.abort()
    await Promise.all(batch.map(delivery => delivery.ack()))
  }
  return sizes
}

export const idsOf = (deliveries: readonly { message: Pick<SpanMessage, 'id'> }[]): string[] =>
  deliveries.map(({ message }) => message.id)
