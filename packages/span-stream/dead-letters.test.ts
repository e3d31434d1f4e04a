import { microsNow } from '@spanhouse/model'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { adapters, consume, createMessage, idsOf, openPlace } from './contract.testing.ts'
import type { DeadLetter, ListedLetter, SpanMessage, SpanStream } from './span-stream.ts'

describe.each(adapters())('Dead letters: $name', adapter => {
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

    /** Publishes the messages and rejects them all, each with its id as the reason. */
    const rejectAll = async (stream: SpanStream, messages: readonly SpanMessage[]) => {
      for (const message of messages) {
        await stream.publish([message])
        await consume(stream, 1, delivery => delivery.reject(`no ${message.id}`))
      }
    }
    const createMessages = (count: number) => Array.from({ length: count }, () => createMessage())

    it('keep the message, the reason, the time and the attempt', async () => {
      const stream = await open()
      const message = createMessage({ body: Buffer.alloc(200_000, 3), format: 'json', span_count: 12 })
      const before = microsNow()
      await stream.publish([message])
      await consume(stream, 2, ({ attempt, retry, reject }) =>
        attempt === 1 ? retry(0) : reject('not spans:\n"ä" …\u2028'),
      )
      const [listed] = (await stream.deadLetters({ limit: 10 })) as [ListedLetter]
      const letter = (await stream.deadLetter(listed.id)) as DeadLetter
      expect(letter).toMatchObject({
        reason: 'not spans:\n"ä" …\u2028',
        attempt: 2,
        message: { ...message, body: expect.anything() },
      })
      const { body, ...withoutBody } = letter.message
      expect(Buffer.compare(body as Uint8Array, message.body)).toBe(0)
      expect(letter.rejected_at).toBeGreaterThanOrEqual(before)
      expect(listed).toEqual({ ...letter, message: withoutBody, bodyBytes: message.body.length })
      expect(await stream.stats()).toMatchObject({ depth: 0, bytes: 0, deadLetters: 1 })
    })

    it('are listed in pages, the oldest first', async () => {
      const place = adapter.place()
      const first = await open(place)
      const messages = createMessages(5)
      await rejectAll(first, messages)
      await first.close()
      const stream = await open(place)
      const page = await stream.deadLetters({ limit: 2 })
      const rest = await stream.deadLetters({ limit: 10, after: page[1]?.id })
      expect(idsOf([...page, ...rest])).toEqual(messages.map(({ id }) => id))
      expect(await stream.deadLetters({ limit: 10, after: rest.at(-1)?.id })).toEqual([])
      await stream.discard(page[1]?.id as string)
      expect(idsOf(await stream.deadLetters({ limit: 1, after: page[1]?.id }))).toEqual([messages[2]?.id])
    })

    it('are replayed once, soon after their first publishing too', async () => {
      const stream = await open()
      const [message, other] = createMessages(2) as [SpanMessage, SpanMessage]
      await rejectAll(stream, [message, other])
      const [letter] = await stream.deadLetters({ limit: 1 })
      expect(await stream.replay(letter?.id as string)).toBe(true)
      expect(await stream.replay(letter?.id as string)).toBe(false)
      expect(await stream.deadLetter(letter?.id as string)).toBeNull()
      expect(await stream.stats()).toMatchObject({ depth: 1, deadLetters: 1 })
      const [delivery] = await consume(stream, 1)
      expect(delivery).toMatchObject({ attempt: 1, message: { ...message, body: expect.anything() } })
      expect((await stream.stats()).depth).toBe(0)
    })

    it('are replayed once by two at the same time', async () => {
      const stream = await open()
      await rejectAll(stream, createMessages(1))
      const [letter] = await stream.deadLetters({ limit: 1 })
      const replays = await Promise.all([stream.replay(letter?.id as string), stream.replay(letter?.id as string)])
      expect(replays.filter(replayed => replayed)).toHaveLength(1)
      expect(await stream.stats()).toMatchObject({ depth: 1, deadLetters: 0 })
    })

    it('can be rejected again', async () => {
      const stream = await open()
      const [message] = createMessages(1) as [SpanMessage]
      await rejectAll(stream, [message])
      const [first] = await stream.deadLetters({ limit: 1 })
      await stream.replay(first?.id as string)
      await consume(stream, 1, delivery => delivery.reject('again'))
      const [second, ...others] = await stream.deadLetters({ limit: 10 })
      expect(second).toMatchObject({ reason: 'again', attempt: 1, message: { id: message.id } })
      expect(second?.id).not.toBe(first?.id)
      expect(others).toEqual([])
    })

    it('are discarded', async () => {
      const stream = await open()
      await rejectAll(stream, createMessages(1))
      const [letter] = await stream.deadLetters({ limit: 1 })
      expect(await stream.discard(letter?.id as string)).toBe(true)
      expect(await stream.discard(letter?.id as string)).toBe(false)
      expect(await stream.stats()).toMatchObject({ depth: 0, deadLetters: 0 })
    })

    it.each(['', '0', '7', 'x', '-1', '1.5', '99999999999999999999'])('do not exist under the id %j', async id => {
      const stream = await open()
      expect(await stream.deadLetter(id)).toBeNull()
      expect(await stream.replay(id)).toBe(false)
      expect(await stream.discard(id)).toBe(false)
    })

    it('leave a message in the stream when they are at their limit', async () => {
      const stream = await open(adapter.place({ bytesMax: 1_000_000 }))
      for (let number = 0; number < 3; number++) {
        await stream.publish([createMessage({ body: Buffer.alloc(100_000) })])
        await consume(stream, 1, delivery => delivery.reject('no'))
      }
      expect(await stream.stats()).toMatchObject({ depth: 1, deadLetters: 2 })
    })

    it('cut a reason that is too long', async () => {
      const stream = await open()
      await stream.publish([createMessage()])
      await consume(stream, 1, delivery => delivery.reject('x'.repeat(100_000)))
      const [letter] = await stream.deadLetters({ limit: 1 })
      expect(letter?.reason).toBe('x'.repeat(2_000))
    })
  })
})
