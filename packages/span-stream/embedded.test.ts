import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { open } from 'lmdb'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { refusal } from './admission.ts'
import { startChild } from './child.testing.ts'
import { adapters, consume, createMessage, idsOf, OPTIONS, openPlace, type Place, until } from './contract.testing.ts'
import { EmbeddedLog } from './embedded/log.ts'
import type { SpanMessage } from './span-stream.ts'

const [adapter] = adapters()
if (adapter === undefined) throw new Error('There is no embedded adapter')

beforeAll(adapter.start)
afterAll(adapter.stop)

/** A thread that acknowledges `count` messages and tells the id of each. */
async function startConsumer(place: Place, count: number) {
  const worker = new Worker(new URL('./thread.testing.ts', import.meta.url), { workerData: { place, count } })
  const received: string[] = []
  const ready = new Promise<void>(resolve =>
    worker.on('message', message => (message === 'ready' ? resolve() : received.push(message))),
  )
  const done = new Promise<void>((resolve, reject) => {
    worker.on('error', reject)
    worker.on('exit', () => resolve())
  })
  await ready
  return { received, done }
}

describe('threads', () => {
  it('wakes a consumer in another thread', async () => {
    const place = adapter.place()
    const stream = await openPlace(place)
    const consumer = await startConsumer(place, 20)
    const messages: SpanMessage[] = []
    for (let number = 0; number < 20; number++) {
      const message = createMessage()
      messages.push(message)
      await stream.publish([message])
      await until(() => consumer.received.length > number)
    }
    await consumer.done
    expect(consumer.received).toEqual(messages.map(({ id }) => id))
    expect(await stream.stats()).toMatchObject({ depth: 0, bytes: 0 })
    await stream.close()
  })

  it('numbers what several publish at once without gaps or repetition', async () => {
    const place = adapter.place()
    const streams = await Promise.all([openPlace(place), openPlace(place), openPlace(place)])
    const consumer = await startConsumer(place, 300)
    const messages = Array.from({ length: 300 }, () => createMessage({ body: Buffer.alloc(30_000) }))
    await Promise.all(messages.map((message, at) => streams[at % 3]?.publish([message])))
    await consumer.done
    expect(consumer.received.sort()).toEqual(messages.map(({ id }) => id).sort())
    await Promise.all(streams.map(stream => stream.close()))
  })
})

it('sees what another process publishes', async () => {
  const place = adapter.place()
  const stream = await openPlace(place)
  const consumed = consume(stream, 1)
  const publisher = startChild('publish', place)
  const [delivery] = await consumed
  await until(() => publisher.told.includes(delivery?.message.id as string))
  await publisher.kill()
  await stream.close()
})

it('uses the space of acknowledged messages again', async () => {
  const place = adapter.place() as Extract<Place, { kind: 'embedded' }>
  const stream = await openPlace(place)
  for (let round = 0; round < 20; round++) {
    const messages = Array.from({ length: 10 }, (_, at) => createMessage({ body: Buffer.alloc(20_000 * (at + 1)) }))
    await Promise.all(messages.map(message => stream.publish([message])))
    await consume(stream, messages.length)
  }
  // 22 MB went through it, 1.1 MB at a time.
  expect(statSync(join(place.path, 'data.mdb')).size).toBeLessThan(6_000_000)
  await stream.close()
})

it('refuses while the disk is full, and goes on when there is room', async () => {
  const place = adapter.place()
  const filler = startChild('fill', place, { fileBlocksMax: '20000' })
  await until(() => filler.told.length === 4)
  await filler.kill()
  expect(filler.told.slice(0, 3)).toEqual(['overloaded', 'overloaded', 'overloaded'])
  expect(filler.told[3]).toMatch(/^1 after \d+$/)
  const stream = await openPlace(place)
  expect(idsOf(await consume(stream, 1))).toHaveLength(1)
  await stream.close()
})

it('goes on reading when deliveries could not be counted for a while, and ends in order meanwhile', async () => {
  const stream = await openPlace(adapter.place())
  await stream.publish([createMessage()])
  const count = vi.spyOn(EmbeddedLog.prototype, 'begin')
  const fail = (times: number) => {
    for (let time = 0; time < times; time++) count.mockRejectedValueOnce(refusal('unreachable'))
  }
  fail(1_000)
  const ending = new AbortController()
  const reading = stream
    .deliveries({ ...OPTIONS, signal: ending.signal })
    [Symbol.asyncIterator]()
    .next()
  await until(() => count.mock.calls.length > 1)
  ending.abort()
  expect(await reading).toEqual({ done: true, value: undefined })
  count.mockReset()
  fail(2)
  const [delivery] = await consume(stream, 1)
  expect(delivery?.attempt).toBe(1)
  count.mockRestore()
  await stream.close()
})

it.each([
  ['is cut short', 'it is truncated', (path: string) => truncateSync(path, 8192)],
  ['is something else', 'it is not an LMDB file', (path: string) => writeFileSync(path, 'something else'.repeat(1000))],
])('says so when its file %s, and leaves it alone', async (_, reason, harm) => {
  const place = adapter.place() as Extract<Place, { kind: 'embedded' }>
  const stream = await openPlace(place)
  await stream.publish([createMessage()])
  await stream.close()
  const path = join(place.path, 'data.mdb')
  const whole = readFileSync(path)
  harm(path)
  const harmed = readFileSync(path)
  await expect(openPlace(place)).rejects.toThrow(reason)
  expect(readFileSync(path)).toEqual(harmed)
  writeFileSync(path, whole)
  const again = await openPlace(place)
  expect((await again.stats()).depth).toBe(1)
  await again.close()
})

it('opens again a file with larger pages than those of this machine', async () => {
  const place = adapter.place() as Extract<Place, { kind: 'embedded' }>
  const root = open({ path: place.path, pageSize: 16_384 })
  await root.put('some', 'thing')
  await root.close()
  for (const depth of [0, 1]) {
    const stream = await openPlace(place)
    expect((await stream.stats()).depth).toBe(depth)
    await stream.publish([createMessage()])
    await stream.close()
  }
  truncateSync(join(place.path, 'data.mdb'), 4 * 16_384)
  await expect(openPlace(place)).rejects.toThrow('it is truncated')
})

it('takes nothing when its file was removed', async () => {
  const place = adapter.place() as Extract<Place, { kind: 'embedded' }>
  const stream = await openPlace(place)
  await stream.publish([createMessage()])
  rmSync(place.path, { recursive: true })
  await expect(stream.publish([createMessage()])).rejects.toMatchObject({ code: 'overloaded' })
  await stream.close()
})

it('forgets ids when the duplicate window is over', async () => {
  const place = adapter.place()
  const stream = await openPlace(place)
  const message = createMessage()
  const clock = Date.now
  try {
    await stream.publish([message])
    Date.now = () => clock() + 119_000
    await stream.publish([message])
    expect((await stream.stats()).depth).toBe(1)
    Date.now = () => clock() + 121_000
    await stream.publish([message])
    expect((await stream.stats()).depth).toBe(2)
  } finally {
    Date.now = clock
    await stream.close()
  }
})

it('looks for messages of others beside a backlog when the clock is set back', async () => {
  const stream = await openPlace(adapter.place())
  const clock = Date.now
  const ids: string[] = []
  const other = createMessage({ project_id: '00000000-0000-0000-0000-0000000000ff' })
  const ending = new AbortController()
  try {
    for (let count = 0; count < 40; count++) await stream.publish([createMessage({ span_count: 500 })])
    const limits = { spansMax: 500, sharedSpansMax: 500, lingerMs: 0 }
    for await (const batch of stream.deliveries({ ...OPTIONS, ...limits, signal: ending.signal })) {
      ids.push(...idsOf(batch))
      await Promise.all(batch.map(({ ack }) => ack()))
      if (ids.length === 10) {
        Date.now = () => clock() - 3_600_000
        await stream.publish([other])
      }
      if (ids.length === 41) ending.abort()
    }
  } finally {
    Date.now = clock
    await stream.close()
  }
  expect(ids.indexOf(other.id)).toBeLessThan(30)
})

describe('partitions', () => {
  it('can be another number only while the log is empty', async () => {
    const place = adapter.place()
    const stream = await openPlace(place)
    await stream.publish([createMessage()])
    await stream.close()
    const other = { ...place, partitions: 3 }
    await expect(openPlace(other)).rejects.toThrow('2 partitions, not 3')
    const again = await openPlace(place)
    await consume(again, 1)
    await again.close()
    const changed = await openPlace(other)
    expect(changed.partitions).toBe(3)
    await changed.close()
  })
})
