import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { adapters, batchSizes, consume, createMessage, idsOf, OPTIONS, openPlace, until } from './contract.testing.ts'
import { LOOKS_MAX } from './settle.ts'
import type { Delivery, SpanMessage, SpanStream } from './span-stream.ts'

/** Publishes one after the other, which is what gives messages an order. */
async function publishAll(stream: SpanStream, messages: readonly SpanMessage[]): Promise<void> {
  for (const message of messages) await stream.publish([message])
}

const createMessages = (count: number, fields: Partial<SpanMessage> = {}): SpanMessage[] =>
  Array.from({ length: count }, () => createMessage(fields))

describe.each(adapters())('SpanStream: $name', adapter => {
  describe.skipIf(!adapter.available)('contract', () => {
    beforeAll(adapter.start)
    afterAll(adapter.stop)

    const opened: SpanStream[] = []
    const open = async (place = adapter.place()) => {
      const stream = await openPlace(place)
      opened.push(stream)
      return stream
    }
    afterEach(async () => {
      await Promise.all(opened.splice(0).map(stream => stream.close()))
    })

    describe('delivery', () => {
      it('gives each reader its partitions alone, in order, also when it has several', async () => {
        const stream = await open()
        const [even, odd] = [createMessages(5, { partition: 0 }), createMessages(5, { partition: 1 })]
        await publishAll(
          stream,
          even.flatMap((message, index) => [message, odd[index] as SpanMessage]),
        )
        const first = await consume(stream, 5, undefined, { partitions: [1] })
        expect(idsOf(first)).toEqual(odd.map(({ id }) => id))
        await publishAll(
          stream,
          odd.map(({ id }) => createMessage({ id: `${id}-again`, partition: 1 })),
        )
        const rest = await consume(stream, 10, undefined, { partitions: [0, 1] })
        expect(idsOf(rest).filter(id => !id.endsWith('again'))).toEqual(even.map(({ id }) => id))
        expect(await stream.stats()).toMatchObject({ depth: 0 })
      })

      it('tells of a message whether those of its project before it, in both lanes, are settled', async () => {
        const stream = await open()
        // The second one exceeds the pace of its project, so what follows is in the other lane.
        const messages = [createMessage(), createMessage({ span_count: 10_000 }), createMessage(), createMessage()]
        const other = createMessage({ project_id: '00000000-0000-0000-0000-00000000000c' })
        const all = [other, ...messages]
        await publishAll(stream, all)
        const waiting = new Map<string, Delivery>()
        const none = new Set<number>()
        await consume(stream, all.length, async delivery => {
          waiting.set(delivery.message.id, delivery)
          if (waiting.size < all.length) return
          const [first, second, third, last] = messages.map(({ id }) => waiting.get(id) as Delivery)
          expect(await first?.isNext(none)).toBe(true)
          expect(await last?.isNext(none)).toBe(false)
          await first?.retry(10_000)
          await third?.ack()
          expect(await last?.isNext(new Set([second?.sequence as number]))).toBe(false)
          const held = [first, second].map(delivery => delivery?.sequence as number)
          expect(await last?.isNext(new Set(held))).toBe(true)
          await second?.ack()
          expect(await last?.isNext(new Set(held.slice(0, 1)))).toBe(true)
          expect(await last?.isNext(none)).toBe(false)
        })
      })

      it('tells so of a message behind many that the caller has, too', async () => {
        const stream = await open()
        const messages = createMessages(LOOKS_MAX + 2)
        await publishAll(stream, messages)
        const sequences: number[] = []
        await consume(stream, messages.length, async delivery => {
          sequences.push(delivery.sequence)
          if (sequences.length < messages.length) return
          expect(await delivery.isNext(new Set(sequences.slice(0, LOOKS_MAX)))).toBe(false)
          expect(await delivery.isNext(new Set(sequences.slice(0, -1)))).toBe(true)
        })
      })

      it('hands over every field and byte, in the order of publishing', async () => {
        const stream = await open()
        const messages = [
          createMessage({ format: 'json', body: Buffer.alloc(0) }),
          createMessage({ body: Buffer.alloc(300_000, 7).subarray(1, 250_001) }),
          ...createMessages(20),
          // The last one, since it exceeds the pace of its project: it is before nothing.
          createMessage({ span_count: 0xffffffff, id: '~'.repeat(200) }),
        ]
        await publishAll(stream, messages)
        const deliveries = await consume(stream, messages.length)
        const received = deliveries.map(({ message }) => ({ ...message, body: Buffer.from(message.body) }))
        expect(received).toEqual(messages.map(message => ({ ...message, body: Buffer.from(message.body) })))
        const sequences = deliveries.map(({ sequence }) => sequence)
        expect(sequences).toEqual([...sequences].sort((one, other) => one - other))
        expect(deliveries.every(({ attempt }) => attempt === 1)).toBe(true)
      })

      it('delivers an acknowledged message once, also after a restart', async () => {
        const place = adapter.place()
        const first = await open(place)
        await publishAll(first, createMessages(5))
        await consume(first, 5)
        await first.close()
        const second = await open(place)
        const last = createMessage()
        await second.publish([last])
        expect(idsOf(await consume(second, 1))).toEqual([last.id])
        expect((await second.stats()).depth).toBe(0)
      })

      it('reads while it is published to', async () => {
        const stream = await open()
        const messages = createMessages(200)
        const consumed = consume(stream, messages.length)
        await publishAll(stream, messages)
        expect(idsOf(await consumed)).toEqual(idsOf(messages.map(message => ({ message }))))
      })

      it('stores the same id once', async () => {
        const place = adapter.place()
        const stream = await open(place)
        const [twice, after] = [createMessage(), createMessage()]
        await stream.publish([twice])
        await stream.publish([twice])
        await stream.close()
        const reopened = await open(place)
        await reopened.publish([twice])
        await reopened.publish([after])
        expect(idsOf(await consume(reopened, 2))).toEqual([twice.id, after.id])
      })

      it('stores the same id once in each partition', async () => {
        const stream = await open()
        const message = createMessage()
        const share = { ...message, partition: 1 }
        await stream.publish([message, share])
        await stream.publish([share])
        const found = await consume(stream, 2, undefined, { partitions: [0, 1] })
        expect(found.map(({ message: { partition } }) => partition).toSorted()).toEqual([0, 1])
        expect((await stream.stats()).depth).toBe(0)
      })

      it('ends the iteration when the signal is aborted while nothing comes', async () => {
        const stream = await open()
        const ended = new AbortController()
        const iteration = consumeAll(stream, ended.signal)
        ended.abort()
        expect(await iteration).toEqual([])
      })

      it('ends the iteration when the stream is closed', async () => {
        const stream = await open()
        const iteration = consumeAll(stream, new AbortController().signal)
        await stream.close()
        expect(await iteration).toEqual([])
      })
    })

    describe('batches', () => {
      it.each([
        ['spans', { spansMax: 30 }, [3, 3, 3, 1]],
        ['bytes', { bytesMax: 2_500 }, [2, 2, 2, 2, 2]],
        ['the size of a single message that exceeds both', { spansMax: 1, bytesMax: 1 }, Array(10).fill(1)],
      ])('are limited by %s', async (_limit, limits, sizes) => {
        const stream = await open()
        await publishAll(stream, createMessages(10, { span_count: 10, body: Buffer.alloc(1_000) }))
        expect(await batchSizes(stream, 10, { lingerMs: 500, ...limits })).toEqual(sizes)
      })

      it('wait for more no longer than the linger time after the first message', async () => {
        const stream = await open()
        await stream.publish([createMessage()])
        const started = performance.now()
        expect(await batchSizes(stream, 1, { lingerMs: 150 })).toEqual([1])
        expect(performance.now() - started).toBeGreaterThan(140)
        expect(performance.now() - started).toBeLessThan(5_000)
      })

      it('end as soon as they are full', async () => {
        const stream = await open()
        const sizes = batchSizes(stream, 2, { lingerMs: 60_000, spansMax: 2 })
        await publishAll(stream, createMessages(2))
        expect(await sizes).toEqual([2])
      })
    })

    describe('several projects', () => {
      const OTHER = '00000000-0000-0000-0000-0000000000ff'

      it('lets a message of another project pass a backlog, and delivers both once', async () => {
        const stream = await open()
        const backlog = createMessages(40, { span_count: 500 })
        await publishAll(stream, backlog)
        const other = createMessage({ project_id: OTHER })
        await stream.publish([other])
        const ids = idsOf(await consume(stream, 41, undefined, { spansMax: 2_000, sharedSpansMax: 1_000 }))
        expect(ids.indexOf(other.id)).toBeLessThan(12)
        expect(ids.toSorted()).toEqual(idsOf([...backlog, other].map(message => ({ message }))).toSorted())
      })

      it('has room for a project that keeps its pace while another one fills the stream', async () => {
        const stream = await open(adapter.place({ bytesMax: 8 * 2 ** 20 }))
        await stream.publish([createMessage({ project_id: OTHER })])
        let refused: unknown
        const send = async (message: SpanMessage): Promise<void> => {
          refused ??= await stream.publish([message]).catch(error => error)
        }
        for (const message of createMessages(16, { body: Buffer.alloc(400_000) })) await send(message)
        await until(async () => {
          await send(createMessage({ span_count: 2_000 }))
          return refused !== undefined
        })
        expect(refused).toMatchObject({ code: 'too_many_requests', retryAfterSeconds: 2 })
        await stream.publish([createMessage({ project_id: OTHER, body: Buffer.alloc(400_000) })])
      })
    })

    describe('settling', () => {
      it('delivers again what was not settled when the iteration ended, counting attempts', async () => {
        const place = adapter.place()
        const first = await open(place)
        const messages = createMessages(3)
        await publishAll(first, messages)
        const [kept] = await consume(first, 3, ({ message, ack }) => message.id !== messages[1]?.id && ack())
        expect(kept?.attempt).toBe(1)
        const again = await consume(first, 1, () => undefined)
        expect(again.map(({ message, attempt }) => [message.id, attempt])).toEqual([[messages[1]?.id, 2]])
        await first.close()
        const third = await consume(await open(place), 1)
        expect(third.map(({ message, attempt }) => [message.id, attempt])).toEqual([[messages[1]?.id, 3]])
      })

      it('can be settled after the iteration ended', async () => {
        const stream = await open()
        await stream.publish([createMessage()])
        const [delivery] = await consume(stream, 1, () => undefined)
        await delivery?.ack()
        await until(async () => (await stream.stats()).depth === 0)
      })

      it('delays a retried message and lets the others pass', async () => {
        const stream = await open()
        const messages = createMessages(3)
        await publishAll(stream, messages)
        let retriedAt = 0
        const deliveries = await consume(stream, 4, async ({ attempt, message, retry, ack }) => {
          if (message.id !== messages[0]?.id || attempt > 1) return ack()
          retriedAt = performance.now()
          return retry(300)
        })
        expect(performance.now() - retriedAt).toBeGreaterThan(290)
        expect(idsOf(deliveries)).toEqual([...idsOf(messages.map(message => ({ message }))), messages[0]?.id])
        expect(deliveries[3]?.attempt).toBe(2)
        expect((await stream.stats()).depth).toBe(0)
      })

      it('keeps the delay of a retried message over a restart', async () => {
        const place = adapter.place()
        const first = await open(place)
        const [late, soon] = createMessages(2) as [SpanMessage, SpanMessage]
        await publishAll(first, [late, soon])
        await consume(first, 2, ({ message, retry }) => retry(message.id === late.id ? 1_500 : 100))
        await first.close()
        expect(idsOf(await consume(await open(place), 2))).toEqual([soon.id, late.id])
      })

      it('refuses to settle twice', async () => {
        const stream = await open()
        await stream.publish([createMessage()])
        const [delivery] = (await consume(stream, 1)) as [Delivery]
        await expect(delivery.ack()).rejects.toThrow('already settled')
        await expect(delivery.reject('late')).rejects.toThrow('already settled')
        expect((await stream.stats()).deadLetters).toBe(0)
      })

      it('lets go of a message that was held too long', async () => {
        const stream = await open(adapter.place({ holdMs: 300, ackWaitMs: 3_000 }))
        const [stuck, next] = createMessages(2) as [SpanMessage, SpanMessage]
        await publishAll(stream, [stuck, next])
        const deliveries = await consume(stream, 3, ({ attempt, message, ack }) =>
          message.id === stuck.id && attempt === 1 ? undefined : ack(),
        )
        expect(deliveries.map(({ message, attempt }) => [message.id, attempt])).toEqual([
          [stuck.id, 1],
          [next.id, 1],
          [stuck.id, 2],
        ])
      })
    })

    describe('limits', () => {
      it('refuses what exceeds the limit of bytes until there is room again', async () => {
        const stream = await open(adapter.place({ bytesMax: 1_000_000 }))
        const messages = createMessages(20, { body: Buffer.alloc(100_000) })
        const stored: SpanMessage[] = []
        const refused = await publishAllCounting(stream, messages, stored)
        expect(refused).toMatchObject({ code: 'overloaded', status: 503, retryable: true })
        expect(refused?.retryAfterSeconds).toBeGreaterThan(0)
        expect(stored.length).toBeGreaterThan(7)
        expect(stored.length).toBeLessThan(11)
        await consume(stream, stored.length)
        await stream.publish(messages.slice(-3))
        expect((await consume(stream, 3)).length).toBe(3)
      })

      it('refuses for good what can never fit', async () => {
        const stream = await open(adapter.place({ bytesMax: 1_000_000 }))
        await expect(stream.publish([createMessage({ body: Buffer.alloc(1_000_000) })])).rejects.toMatchObject({
          code: 'too_large',
        })
      })

      it.each([
        ['an id with a line break', { id: 'a\r\nb' }],
        ['an empty id', { id: '' }],
        ['a partition it does not have', { partition: 2 }],
        ['a project that is no UUID', { project_id: 'mine' }],
      ])('does not take %s', async (_what, fields) => {
        const stream = await open()
        await expect(stream.publish([createMessage(), createMessage(fields)])).rejects.toThrow()
        expect((await stream.stats()).depth).toBe(0)
      })

      it('refuses when it is closed', async () => {
        const stream = await open()
        await stream.close()
        await expect(stream.publish([createMessage()])).rejects.toMatchObject({ code: 'overloaded' })
      })
    })

    it('reports how much is waiting', async () => {
      const stream = await open()
      expect(await stream.stats()).toMatchObject({ depth: 0, bytes: 0, oldestSeconds: 0, deadLetters: 0 })
      await publishAll(stream, createMessages(3, { body: Buffer.alloc(10_000) }))
      await until(async () => (await stream.stats()).oldestSeconds > 0.05)
      const { depth, bytes, bytesMax, oldestSeconds } = await stream.stats()
      expect({ depth, bytesMax }).toEqual({ depth: 3, bytesMax: 64 * 2 ** 20 })
      expect(bytes).toBeGreaterThan(30_000)
      expect(bytes).toBeLessThan(32_000)
      expect(oldestSeconds).toBeLessThan(10)
      await consume(stream, 3)
      expect(await stream.stats()).toMatchObject({ depth: 0, bytes: 0, oldestSeconds: 0 })
    })
  })
})

async function consumeAll(stream: SpanStream, signal: AbortSignal): Promise<Delivery[]> {
  const all: Delivery[] = []
  for await (const batch of stream.deliveries({ ...OPTIONS, signal })) all.push(...batch)
  return all
}

/** Publishes until the first refusal, which it returns. */
async function publishAllCounting(stream: SpanStream, messages: readonly SpanMessage[], stored: SpanMessage[]) {
  for (const message of messages) {
    try {
      await stream.publish([message])
      stored.push(message)
    } catch (refusal) {
      return refusal as { retryAfterSeconds?: number }
    }
  }
  return undefined
}
