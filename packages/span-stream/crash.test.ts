import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startChild } from './child.testing.ts'
import { adapters, consume, createMessage, idsOf, openPlace, until } from './contract.testing.ts'

describe.each(adapters())('kill -9 of a process: $name', adapter => {
  describe.skipIf(!adapter.available)('contract', () => {
    beforeAll(adapter.start)
    afterAll(adapter.stop)

    it('loses nothing whose publishing was confirmed', async () => {
      const place = adapter.place({ bytesMax: 512 * 2 ** 20 })
      const publisher = startChild('publish', place)
      await until(() => publisher.told.length >= 100)
      await publisher.kill()
      const stream = await openPlace(place)
      const { depth } = await stream.stats()
      const delivered = new Set(idsOf(await consume(stream, depth)))
      expect(publisher.told.filter(id => !delivered.has(id))).toEqual([])
      expect(await stream.stats()).toMatchObject({ depth: 0, bytes: 0 })
      await stream.close()
    })

    it('delivers again what the consumer had not acknowledged', async () => {
      const place = adapter.place({ ackWaitMs: 600 })
      const stream = await openPlace(place)
      const messages = [createMessage(), createMessage(), createMessage()]
      for (const message of messages) await stream.publish([message])
      await consume(stream, 1, ({ message, ack }) => message.id === messages[0]?.id && ack())
      const holder = startChild('hold', place)
      await until(() => holder.told.length === 2)
      await holder.kill()
      const again = await consume(stream, 2)
      expect(idsOf(again)).toEqual(messages.slice(1).map(({ id }) => id))
      expect(again.map(({ attempt }) => attempt)).toEqual([3, 3])
      await stream.close()
    })
  })
})
