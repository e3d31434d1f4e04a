import { jetstream, jetstreamManager, type StreamAPI } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { consume, createMessage, idsOf, OPTIONS, until } from '../contract.testing.ts'
import { type JetStreamOptions, openJetStream } from '../jetstream.ts'
import { type NatsServer, natsAvailable, startNats } from '../nats-server.testing.ts'
import type { SpanMessage, SpanStream } from '../span-stream.ts'
import { metadataOf, toHeaders } from './headers.ts'

/** What a file of a stream with this limit of bytes holds; one is removed when all messages in it are. */
const FILE_BYTES = 4 * 2 ** 20
const BYTES_MAX = 4 * FILE_BYTES

// All of this happens with nats-server 2.10.27, which writes the record of a removal to its last file, whichever file
// has the message.
describe.skipIf(!natsAvailable)('after nats-server was killed', () => {
  let server: NatsServer
  let stream: SpanStream

  beforeAll(async () => {
    server = await startNats()
  })
  afterAll(() => server.stop())

  const open = async (name: string, options: Partial<JetStreamOptions> = {}) => {
    const place = { url: server.url, name, partitions: 2, bytesMax: BYTES_MAX, ackWaitMs: 1_000 }
    stream = await openJetStream({ ...place, ...options })
  }

  const publishMany = async (count: number, bytes: number) => {
    const messages = Array.from({ length: count }, () => createMessage({ body: Buffer.alloc(bytes) }))
    await stream.publish(messages)
    return messages
  }

  /** Then the records of removal begin in the file of the messages, and the last of them get a file to themselves. */
  const publishUntilFull = async () => {
    const ids: string[] = []
    while ((await stream.stats()).bytes < FILE_BYTES - 100_000)
      ids.push(...(await publishMany(50, 10)).map(({ id }) => id))
    return ids
  }

  const manage = async <T>(what: (streams: StreamAPI) => Promise<T>): Promise<T> => {
    const nats = await connect({ servers: server.url })
    const { streams } = await jetstreamManager(nats)
    return what(streams).finally(() => nats.close())
  }

  const stateOf = async (name: string) => (await manage(streams => streams.info(name))).state

  /**
   * Whether an emptied stream assigns positions up to `last` again after a kill, which depends on what the server had
   * written down. Publishers may have begun to use them up, so its last position does not tell.
   */
  const goesBack = async (name: string, last: number) => (await stateOf(name)).first_seq <= last

  /** Publishes as a process does that has not looked at positions: one of an earlier version. */
  const publishAtOnce = async (name: string, count: number) => {
    const nats = await connect({ servers: server.url })
    const messages = Array.from({ length: count }, () => createMessage({ body: Buffer.alloc(10) }))
    const publish = (message: SpanMessage) =>
      jetstream(nats).publish(`${name}.${message.partition}`, message.body, { headers: toHeaders(metadataOf(message)) })
    await Promise.all(messages.map(publish)).finally(() => nats.close())
    return messages
  }

  const killAndRestart = async () => {
    await server.restart()
    await until(() =>
      stream.stats().then(
        () => true,
        () => false,
      ),
    )
  }

  it('delivers once more and removes what was removed before', async () => {
    await open('removed')
    // It keeps the first file, which has most of the others.
    const waiting = createMessage({ partition: 1 })
    await stream.publish([waiting])
    await publishMany(60, 100_000)
    await consume(stream, 60)
    expect((await stream.stats()).depth).toBe(1)
    await killAndRestart()
    expect((await stream.stats()).depth).toBeGreaterThan(1)
    const ending = new AbortController()
    const consuming = (async () => {
      for await (const batch of stream.deliveries({ ...OPTIONS, signal: ending.signal }))
        await Promise.all(batch.map(({ ack }) => ack()))
    })()
    await until(async () => (await stream.stats()).depth === 1)
    ending.abort()
    await consuming
    expect(idsOf(await consume(stream, 1, ({ ack }) => ack(), { partitions: [1] }))).toEqual([waiting.id])
    await stream.close()
  })

  it('delivers what gets positions that its consumer is past', async () => {
    await open('back')
    const { length } = await publishUntilFull()
    const last = Math.max(...(await consume(stream, length)).map(({ sequence }) => sequence))
    expect((await stream.stats()).depth).toBe(0)
    await killAndRestart()
    const messages = await publishAtOnce('back', 200)
    const again = await consume(stream, 200)
    expect(idsOf(again).toSorted()).toEqual(messages.map(({ id }) => id).toSorted())
    expect(Math.min(...again.map(({ sequence }) => sequence))).toBeLessThan(last)
    expect((await stream.stats()).depth).toBe(0)
    await stream.close()
  })

  it('removes nothing that got the position of a message from before', async () => {
    await open('reused')
    let ids = await publishUntilFull()
    let survivor: unknown
    for await (const batch of stream.deliveries({ ...OPTIONS, signal: AbortSignal.timeout(40_000) })) {
      const last = batch.find(({ message }) => message.id === ids.at(-1))
      await Promise.all(batch.filter(delivery => delivery !== last).map(({ ack }) => ack()))
      if (last === undefined) continue
      await manage(streams => streams.deleteMessage('reused', last.sequence))
      await killAndRestart()
      if (!(await goesBack('reused', last.sequence))) {
        ids = await publishUntilFull()
        continue
      }
      while ((await stateOf('reused')).last_seq < last.sequence) await publishMany(500, 10)
      await last.ack()
      survivor = await manage(streams => streams.getMessage('reused', { seq: last.sequence }))
      break
    }
    expect(survivor).toMatchObject({ seq: expect.any(Number) })
    await stream.close()
  })

  it('loses nothing that is published as soon as it is back when it is killed again', async () => {
    await open('soon')
    const { length } = await publishUntilFull()
    const last = Math.max(...(await consume(stream, length)).map(({ sequence }) => sequence))
    await killAndRestart()
    expect(await goesBack('soon', last)).toBe(true)
    const messages = await publishMany(200, 10)
    await killAndRestart()
    expect(idsOf(await consume(stream, 200)).toSorted()).toEqual(messages.map(({ id }) => id).toSorted())
    await stream.close()
  })

  it('loses nothing when the server is killed again', async () => {
    await open('twice')
    const { length } = await publishUntilFull()
    const last = Math.max(...(await consume(stream, length)).map(({ sequence }) => sequence))
    await killAndRestart()
    expect(await goesBack('twice', last)).toBe(true)
    const ending = new AbortController()
    const reading = stream
      .deliveries({ ...OPTIONS, signal: ending.signal })
      [Symbol.asyncIterator]()
      .next()
    await until(async () => (await stateOf('twice')).last_seq >= last)
    ending.abort()
    await reading
    const messages = await publishMany(200, 10)
    await killAndRestart()
    expect(idsOf(await consume(stream, 200)).toSorted()).toEqual(messages.map(({ id }) => id).toSorted())
    await stream.close()
  })
})
