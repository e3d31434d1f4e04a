import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { jetstream, jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { consume, createMessage, idsOf, OPTIONS, openPlace, type Place, until } from './contract.testing.ts'
import { openConnection, parseServers } from './jetstream/connection.ts'
import { DeadLetters } from './jetstream/dead-letters.ts'
import { metadataOf, toHeaders } from './jetstream/headers.ts'
import { Positions } from './jetstream/positions.ts'
import { Storage } from './jetstream/storage.ts'
import { Sweeper } from './jetstream/sweeper.ts'
import { Topology } from './jetstream/topology.ts'
import { openJetStream } from './jetstream.ts'
import { type NatsServer, natsAvailable, startNats } from './nats-server.testing.ts'
import type { DeadLetter, Delivery, SpanMessage, SpanStream } from './span-stream.ts'

describe.skipIf(!natsAvailable)('JetStream', () => {
  let server: NatsServer
  let places = 0
  const opened: SpanStream[] = []

  beforeAll(async () => {
    server = await startNats()
  })
  afterAll(() => server.stop())
  afterEach(async () => {
    await Promise.all(opened.splice(0).map(stream => stream.close()))
  })

  const createPlace = (fields: Partial<Extract<Place, { kind: 'jetstream' }>> = {}) => ({
    kind: 'jetstream' as const,
    url: server.url,
    name: `spans-${places++}`,
    partitions: 2,
    bytesMax: 256 * 2 ** 20,
    ...fields,
  })
  const open = async (place = createPlace()) => {
    const stream = await openPlace(place)
    opened.push(stream)
    return stream
  }

  describe('opening', () => {
    it('may happen in several processes at once, before or after messages were published', async () => {
      const place = createPlace()
      const streams = await Promise.all(Array.from({ length: 5 }, () => open(place)))
      await streams[0]?.publish([createMessage()])
      const late = await open(place)
      expect(await consume(late, 1)).toHaveLength(1)
    })

    it('says what to change if the server has no room for the stream', async () => {
      const opening = openPlace(createPlace({ bytesMax: 2 ** 50 }))
      await expect(opening).rejects.toThrow(
        /may take 1073741824 MiB. Raise max_file_store .* SPANHOUSE_STREAM_BYTES_MAX/,
      )
    })

    it('needs no more room for streams that exist', async () => {
      const folder = await mkdtemp(join(tmpdir(), 'spanhouse-nats-'))
      const file = join(folder, 'nats.conf')
      // Enough for the stream and its dead letters, but not for the stream twice.
      await writeFile(file, 'jetstream { max_file_store: 400MB }')
      const small = await startNats('-c', file)
      try {
        const place = createPlace({ url: small.url })
        for (const bytesMax of [place.bytesMax, place.bytesMax, place.bytesMax + 2 ** 20]) {
          const stream = await open({ ...place, bytesMax })
          await stream.publish([createMessage()])
          expect((await stream.stats()).bytesMax).toBe(bytesMax)
        }
        await expect(open({ ...place, bytesMax: 2 ** 40 })).rejects.toThrow(/Raise max_file_store/)
        await Promise.all(opened.splice(0).map(stream => stream.close()))
      } finally {
        await small.stop()
        await rm(folder, { recursive: true })
      }
    })

    it('adapts the limit of bytes', async () => {
      const place = createPlace({ bytesMax: 1_000_000 })
      await (await open(place)).publish([createMessage({ body: Buffer.alloc(900_000) })])
      const larger = await open({ ...place, bytesMax: 2_000_000 })
      await larger.publish([createMessage({ body: Buffer.alloc(900_000) })])
      expect(await larger.stats()).toMatchObject({ depth: 2, bytesMax: 2_000_000 })
    })

    it('refuses another number of partitions', async () => {
      const place = createPlace()
      await open(place)
      await expect(openJetStream({ ...place, partitions: 3 })).rejects.toThrow('number of partitions')
    })

    it('grows while others use fewer partitions, which lose nothing that is published', async () => {
      const place = createPlace()
      const [one, unaware] = [await open(place), await open(place)]
      const before = createMessage({ partition: 1 })
      await one.publish([before])
      await one.grow?.(4)
      expect([one.partitions, unaware.partitions]).toEqual([4, 2])
      const after = createMessage({ partition: 3 })
      await one.publish([after])
      await expect(unaware.publish([createMessage({ partition: 3 })])).rejects.toThrow('out of range')
      const late = createMessage({ partition: 1 })
      await unaware.publish([late])
      const { url, name, bytesMax } = place
      await expect(openJetStream({ url, name, bytesMax, partitions: 2 })).rejects.toThrow('number of partitions')
      const grown = await openJetStream({ url, name, bytesMax, partitions: 4, earlier: [2] })
      opened.push(grown)
      // The same id in another partition is another message: a share that was forwarded.
      await grown.publish([{ ...before, partition: 3 }])
      await grown.publish([{ ...before, partition: 3 }])
      const found = await consume(grown, 4, ({ ack }) => ack(), { partitions: [0, 1, 2, 3] })
      expect(found.map(({ message }) => [message.partition, message.id]).toSorted()).toEqual(
        [before, late]
          .map(({ id }) => [1, id])
          .concat([after, before].map(({ id }) => [3, id]))
          .toSorted(),
      )
      expect((await grown.stats()).depth).toBe(0)
    })

    it('grows when a process that knows more partitions opens a stream that has fewer', async () => {
      const place = createPlace()
      await open(place)
      const { url, name, bytesMax } = place
      const grown = await openJetStream({ url, name, bytesMax, partitions: 4, earlier: [2] })
      opened.push(grown)
      const message = createMessage({ partition: 3 })
      await grown.publish([message])
      expect(idsOf(await consume(grown, 1, undefined, { partitions: [3] }))).toEqual([message.id])
    })

    it('adds the bulk lane to a stream of an earlier version, and delivers what is in it', async () => {
      const { url, name, partitions, bytesMax } = createPlace()
      const nats = await connect({ servers: url })
      const { streams } = await jetstreamManager(nats)
      const subjects = [...new Topology(name, [partitions]).subjects(['prompt']), `${name}.parts`]
      await streams.add({
        name,
        subjects,
        retention: 'limits',
        discard: 'new',
        allow_direct: true,
        max_bytes: bytesMax,
      })
      const before = createMessage()
      await jetstream(nats).publish(`${name}.0`, before.body, { headers: toHeaders(metadataOf(before)) })
      await nats.close()
      const stream = await open({ kind: 'jetstream', url, name, partitions, bytesMax })
      for (let message = 0; message < 10; message++) await stream.publish([createMessage({ span_count: 1_000 })])
      expect(await consume(stream, 11)).toHaveLength(11)
    })

    it('refuses a stream that removes messages by itself, as earlier versions made it', async () => {
      const { url, name, partitions, bytesMax } = createPlace()
      const nats = await connect({ servers: url })
      const { streams } = await jetstreamManager(nats)
      const subjects = [...new Topology(name, [partitions]).subjects(), `${name}.parts`]
      await streams.add({ name, subjects, retention: 'interest' })
      await nats.close()
      await expect(openJetStream({ url, name, partitions, bytesMax })).rejects.toThrow('retention interest, not limits')
    })

    it('removes what would let a stream drop messages that are not stored, or hide their parts', async () => {
      const { url, name, partitions, bytesMax } = createPlace()
      const nats = await connect({ servers: url })
      const { streams } = await jetstreamManager(nats)
      const subjects = [...new Topology(name, [partitions]).subjects(), `${name}.parts`]
      await streams.add({ name, subjects, discard: 'old', max_msgs: 5, max_msgs_per_subject: 4, max_age: 1e12 })
      const stream = await open({ kind: 'jetstream', url, name, partitions, bytesMax })
      expect((await streams.info(name)).config).toMatchObject({ discard: 'new', max_msgs: -1, max_age: 0 })
      await nats.close()
      const messages = [...Array.from({ length: 9 }, () => createMessage()), createMessage({ body: Buffer.alloc(2e6) })]
      for (const message of messages) await stream.publish([message])
      expect(idsOf(await consume(stream, 10)).toSorted()).toEqual(messages.map(({ id }) => id).toSorted())
    })

    it('refuses a server before 2.10, and says which it found', async () => {
      const old = createServer(socket => {
        const info = {
          server_id: 'old',
          version: '2.9.10',
          proto: 1,
          headers: true,
          jetstream: true,
          max_payload: 2 ** 20,
        }
        socket.on('error', () => undefined).write(`INFO ${JSON.stringify(info)}\r\n`)
        socket.on('data', data => data.includes('PING') && socket.write('PONG\r\n'))
      }).listen(0, '127.0.0.1')
      await once(old, 'listening')
      const { port } = old.address() as AddressInfo
      await expect(openJetStream({ ...createPlace(), url: `nats://127.0.0.1:${port}` })).rejects.toThrow(
        `nats-server 2.10 or later is required; 127.0.0.1:${port} is 2.9.10`,
      )
      old.close()
    })

    it('fails when there is no server', async () => {
      await expect(openJetStream({ ...createPlace(), url: 'nats://127.0.0.1:1' })).rejects.toMatchObject({
        code: 'overloaded',
        cause: expect.objectContaining({ message: expect.stringContaining('refused') }),
      })
    })

    it.each([
      ['nats://one:4222', { servers: ['one:4222'] }],
      ['nats://one:4222, nats://two', { servers: ['one:4222', 'two'] }],
      ['nats://me:p%40ss@one:4222', { servers: ['one:4222'], user: 'me', pass: 'p@ss' }],
      ['nats://token@one:4222', { servers: ['one:4222'], token: 'token' }],
      ['tls://one:4222', { servers: ['one:4222'], tls: {} }],
    ])('understands the address %s', (url, options) => {
      expect(parseServers(url)).toEqual(options)
    })
  })

  it('refuses nothing of one project because the stream was full before a pause', async () => {
    const stream = await open(createPlace({ bytesMax: 4_000_000 }))
    const clock = performance.now.bind(performance)
    let sent = 0
    const send = (fields: Partial<SpanMessage>) => stream.publish([createMessage(fields)]).then(() => void sent++)
    const other = { project_id: '00000000-0000-0000-0000-0000000000ff' }
    const flood = { span_count: 10_000 }
    await send(other)
    for (let message = 0; message < 4; message++) await send({ ...flood, body: Buffer.alloc(800_000) })
    await until(() =>
      send(flood).then(
        () => false,
        ({ code }) => code === 'too_many_requests',
      ),
    )
    await consume(stream, sent)
    try {
      performance.now = () => clock() + 3_000
      await send(other)
      for (let message = 0; message < 3; message++) await send(flood)
    } finally {
      performance.now = clock
    }
    expect(await consume(stream, 4)).toHaveLength(4)
  })

  it('says that messages were lost only if a stream was gone', async () => {
    const { url, name, partitions, bytesMax } = createPlace()
    let recreated = 0
    const stream = await openJetStream({ url, name, partitions, bytesMax, onRecreated: () => recreated++ })
    opened.push(stream)
    const [before, after] = [createMessage(), createMessage()]
    await stream.publish([before])
    const nats = await connect({ servers: url })
    const { streams, consumers } = await jetstreamManager(nats)
    await consumers.delete(name, 'writer-0')
    expect(idsOf(await consume(stream, 1))).toEqual([before.id])
    expect(recreated).toBe(0)
    await streams.delete(name)
    await nats.close()
    await stream.publish([after])
    expect(idsOf(await consume(stream, 1))).toEqual([after.id])
    expect(recreated).toBe(1)
  })

  it('tells of another installation that has opened the stream', async () => {
    const { url, name, partitions, bytesMax } = createPlace()
    const foreign: string[] = []
    const openBy = async (installation: string): Promise<void> => {
      const onForeign = () => void foreign.push(installation)
      opened.push(await openJetStream({ url, name, partitions, bytesMax, installation, onForeign }))
    }
    for (const installation of ['one', 'one', 'other', 'other', 'one']) await openBy(installation)
    expect(foreign).toEqual(['other', 'one'])
  })

  it('notes an installation without a change to the stream whose partitions another process may be adding', async () => {
    const { url, name, partitions, bytesMax } = createPlace()
    await open({ ...createPlace(), name })
    const nats = await connect({ servers: url })
    const changed: string[] = []
    nats.subscribe('$JS.EVENT.ADVISORY.STREAM.UPDATED.*', {
      callback: (_, { subject }) => void changed.push(subject.slice(subject.lastIndexOf('.') + 1)),
    })
    opened.push(await openJetStream({ url, name, partitions, bytesMax, installation: 'one' }))
    await expect.poll(() => changed).toEqual([`${name}-dead`])
    await nats.close()
  })

  it('shares partitions between consumers', async () => {
    const place = createPlace({ partitions: 4 })
    const [one, other] = [await open(place), await open(place)]
    const messages = Array.from({ length: 80 }, (_, at) => createMessage({ partition: at % 4 }))
    for (const message of messages) await one.publish([message])
    const partitionsOf = async (stream: SpanStream, partitions: number[]) =>
      new Set(
        (await consume(stream, 40, delivery => delivery.ack(), { partitions })).map(({ message }) => message.partition),
      )
    const [first, second] = await Promise.all([partitionsOf(one, [0, 3]), partitionsOf(other, [1, 2])])
    expect([[...first].sort(), [...second].sort()]).toEqual([
      [0, 3],
      [1, 2],
    ])
    expect((await one.stats()).depth).toBe(0)
  })

  it('does not deliver again what is being worked on for longer than the acknowledgement time', async () => {
    const stream = await open(createPlace({ ackWaitMs: 400 }))
    for (let number = 0; number < 3; number++) await stream.publish([createMessage()])
    const started = performance.now()
    const late = await consume(stream, 3, async delivery => {
      await until(() => performance.now() - started > 1_500)
      await delivery.ack()
    })
    expect(late.map(({ attempt }) => attempt)).toEqual([1, 1, 1])
    expect((await stream.stats()).depth).toBe(0)
  })

  describe('messages larger than the server takes', () => {
    const filled = (bytes: number, fill: number, fields: Partial<SpanMessage> = {}) =>
      createMessage({ body: Buffer.alloc(bytes, fill), ...fields })
    const check = (deliveries: readonly Delivery[], messages: readonly SpanMessage[]) => {
      const byId = new Map(messages.map(message => [message.id, message]))
      for (const { message } of deliveries) {
        expect(Buffer.compare(message.body, byId.get(message.id)?.body as Uint8Array)).toBe(0)
      }
      expect(idsOf(deliveries).sort()).toEqual([...byId.keys()].sort())
    }

    it('arrive whole, whoever publishes at the same time', async () => {
      const place = createPlace()
      const streams = await Promise.all([open(place), open(place), open(place)])
      const messages = [3_000_000, 100, 10_500_000, 1_048_576, 2_000_000, 50_000, 5_000_000, 1_032_192, 1_032_193].map(
        (bytes, at) => filled(bytes, at + 1),
      )
      await Promise.all(messages.map((message, at) => streams[at % 3]?.publish([message])))
      expect((await streams[0]?.stats())?.depth).toBe(messages.length)
      check(await consume(streams[0] as SpanStream, messages.length), messages)
      expect(await streams[0]?.stats()).toMatchObject({ depth: 0, bytes: 0 })
    })

    it('are stored once and come again whole', async () => {
      const stream = await open()
      const message = filled(3_000_000, 9)
      await stream.publish([message])
      await stream.publish([message])
      check(await consume(stream, 1, () => undefined), [message])
      const [, last] = await consume(stream, 2, ({ attempt, retry, ack }) => (attempt < 3 ? retry(10) : ack()))
      check([last as Delivery], [message])
      expect(await stream.stats()).toMatchObject({ depth: 0, bytes: 0 })
    })

    it('become dead letters and are replayed', async () => {
      const stream = await open()
      const message = filled(3_000_000, 8)
      await stream.publish([message])
      await consume(stream, 1, delivery => delivery.reject('no'))
      expect(await stream.stats()).toMatchObject({ depth: 0, bytes: 0, deadLetters: 1 })
      const [{ id } = { id: '' }] = await stream.deadLetters({ limit: 2 })
      const letter = await stream.deadLetter(id)
      expect(Buffer.compare(letter?.message.body as Uint8Array, message.body)).toBe(0)
      await stream.replay(id)
      check(await consume(stream, 1), [message])
      expect(await stream.stats()).toMatchObject({ depth: 0, bytes: 0, deadLetters: 0 })
    })

    it('leave nothing behind when there is no room for all of them, and are taken when there is', async () => {
      const stream = await open(createPlace({ bytesMax: 4_000_000 }))
      const [small, large] = [filled(500_000, 4), filled(3_800_000, 5)]
      await stream.publish([small])
      for (let attempt = 1; attempt <= 3; attempt++)
        await expect(stream.publish([large])).rejects.toMatchObject({ code: 'overloaded' })
      check(await consume(stream, 1), [small])
      expect(await stream.stats()).toMatchObject({ depth: 0, bytes: 0 })
      await stream.publish([large])
      check(await consume(stream, 1), [large])
      expect(await stream.stats()).toMatchObject({ depth: 0, bytes: 0 })
    })

    it('take no room from the dead letters when they do not fit there', async () => {
      const stream = await open(createPlace({ bytesMax: 8_000_000 }))
      for (const bytes of [2_500_000, 1_800_000]) {
        await stream.publish([filled(bytes, 3)])
        await consume(stream, 1, delivery => delivery.reject('no'))
      }
      expect(await stream.stats()).toMatchObject({ depth: 1, deadLetters: 1 })
    })

    it('are swept away when their publisher died half-way, and only then', async () => {
      const place = createPlace()
      const stream = await open(place)
      const connection = await openConnection(place.url)
      const topology = new Topology(place.name, [place.partitions])
      const manager = await jetstreamManager(connection.nats)
      const storage = new Storage(connection, manager, () => Promise.reject(new Error('the streams are gone')))
      // It knows fewer partitions than there are by now.
      const known = new Topology(place.name, [1])
      const letters = new DeadLetters(storage, known, new Positions(connection, storage, known))
      const sweeper = new Sweeper(storage, known, letters)
      const partsLeft = async () => (await storage.state(topology.live)).parts

      await manager.jetstream().publish(topology.live.partsSubject, Buffer.alloc(500_000), { msgID: 'half' })
      const message = filled(3_000_000, 7, { partition: 1 })
      await stream.publish([message])
      expect(await partsLeft()).toBe(3)
      for (let round = 0; round < 4; round++) await sweeper.round()
      expect(await partsLeft()).toBe(3)

      check(await consume(stream, 1, ({ ack }) => ack(), { partitions: [0, 1] }), [message])
      expect(await partsLeft()).toBe(1)
      await stream.publish([createMessage()])
      await sweeper.round()
      expect(await partsLeft()).toBe(0)
      expect((await stream.stats()).depth).toBe(1)
      await connection.nats.close()
    })

    it('of dead letters are swept when no letter refers to them', async () => {
      const place = createPlace()
      const stream = await open(place)
      const large = filled(3_000_000, 8)
      await stream.publish([large])
      await consume(stream, 1, delivery => delivery.reject('too large'))
      const connection = await openConnection(place.url)
      const topology = new Topology(place.name, [place.partitions])
      const manager = await jetstreamManager(connection.nats)
      const storage = new Storage(connection, manager, () => Promise.reject(new Error('the streams are gone')))
      const letters = new DeadLetters(storage, topology, new Positions(connection, storage, topology))
      const sweeper = new Sweeper(storage, topology, letters)
      const dead = () => storage.state(topology.dead)
      const { parts } = await dead()
      for (const msgID of ['half', 'second half'])
        await manager.jetstream().publish(topology.dead.partsSubject, Buffer.alloc(500_000), { msgID })
      await sweeper.round()
      expect((await dead()).parts).toBe(parts + 2)
      await stream.publish([createMessage()])
      await consume(stream, 1, delivery => delivery.reject('no'))
      for (let round = 0; round < 4; round++) await sweeper.round()
      // One without content keeps the last position.
      expect(await dead()).toMatchObject({ parts: parts + 1, whole: 2 })
      const { last } = await dead()
      for (let round = 0; round < 4; round++) await sweeper.round()
      expect((await dead()).last).toBe(last)
      const [letter] = await stream.deadLetters({ limit: 1 })
      const { message } = (await stream.deadLetter(letter?.id as string)) as DeadLetter
      expect(Buffer.compare(message.body as Uint8Array, large.body)).toBe(0)
      await connection.nats.close()
    })

    it('that no message refers to are not taken for the oldest message', async () => {
      const place = createPlace()
      const stream = await open(place)
      const nats = await connect({ servers: place.url })
      await jetstream(nats).publish(`${place.name}.parts`, Buffer.alloc(10), { msgID: 'half' })
      await nats.close()
      const published = performance.now()
      await until(() => performance.now() - published > 300)
      await stream.publish([createMessage()])
      expect((await stream.stats()).oldestSeconds).toBeLessThan((performance.now() - published) / 1000 - 0.25)
      await consume(stream, 1)
      expect((await stream.stats()).oldestSeconds).toBe(0)
    })

    it('are read once to know that they are no messages, and never if nothing else is there', async () => {
      const place = createPlace()
      const stream = await open(place)
      const connection = await openConnection(place.url)
      const topology = new Topology(place.name, [place.partitions])
      const manager = await jetstreamManager(connection.nats)
      const storage = new Storage(connection, manager, () => Promise.reject(new Error('the streams are gone')))
      let read = 0
      connection.nats.subscribe(`$JS.API.STREAM.MSG.GET.${place.name}`, {
        callback: (_error, message) => {
          if (message.string().includes('">"')) read++
        },
      })
      await manager.jetstream().publish(topology.live.partsSubject, Buffer.alloc(500_000), { msgID: 'half' })
      expect(await stream.stats()).toMatchObject({ depth: 0, oldestSeconds: 0 })
      await connection.nats.flush()
      expect(read).toBe(0)

      await stream.publish([createMessage()])
      for (let time = 0; time < 3; time++)
        expect(await storage.oldestMs(topology.live, await storage.state(topology.live))).toBeGreaterThan(0)
      await connection.nats.flush()
      expect(read).toBe(1)
      await connection.nats.close()
    })

    it('are not all read to know the oldest message', async () => {
      const place = createPlace({ partitions: 8 })
      const stream = await open(place)
      await stream.publish([createMessage()])
      for (let partition = 0; partition < 8; partition++)
        await stream.publish([filled(1_500_000, partition, { partition })])
      const nats = await connect({ servers: place.url })
      let asked = 0
      nats.subscribe(`$JS.API.STREAM.MSG.GET.${place.name}`, { callback: () => void asked++ })
      await nats.flush()
      for (let time = 0; time < 3; time++) expect((await stream.stats()).oldestSeconds).toBeGreaterThan(0)
      await nats.flush()
      expect(asked).toBe(1)
      await consume(stream, 1)
      await until(async () => {
        await stream.stats()
        return asked > 8
      })
      const before = asked
      for (let time = 0; time < 3; time++) await stream.stats()
      await nats.flush()
      expect(asked - before).toBeLessThan(20)
      await nats.close()
    })

    it('are no dead letters when they are settled after they were fetched again', async () => {
      const place = createPlace({ ackWaitMs: 1_000, holdMs: 100 })
      const stream = await open(place)
      await stream.publish([filled(3_000_000, 7)])
      const nats = await connect({ servers: place.url })
      const { consumers } = await jetstreamManager(nats)
      const ending = new AbortController()
      for await (const [first] of stream.deliveries({ ...OPTIONS, signal: ending.signal })) {
        if (first?.attempt === 1 && first.message.body.length > 1_000) {
          await until(async () => (await consumers.info(place.name, 'writer-0')).num_redelivered > 0)
          await first.ack()
          await stream.publish([createMessage()])
        } else {
          await first?.ack()
          ending.abort()
        }
      }
      await nats.close()
      expect(await stream.stats()).toMatchObject({ depth: 0, deadLetters: 0 })
    })

    it('become dead letters when parts of them are gone', async () => {
      const place = createPlace()
      const stream = await open(place)
      await stream.publish([filled(3_000_000, 6)])
      const nats = await connect({ servers: place.url })
      const { streams } = await jetstreamManager(nats)
      await streams.deleteMessage(place.name, (await streams.info(place.name)).state.first_seq + 1)
      await nats.close()
      await stream.publish([createMessage()])
      await consume(stream, 1)
      const [letter] = await stream.deadLetters({ limit: 1 })
      expect(letter?.reason).toBe('Parts of the message are missing')
      expect((await stream.stats()).depth).toBe(0)
    })
  })

  it('delivers what its consumer has passed over, also behind a message that is not settled', async () => {
    const place = createPlace({ ackWaitMs: 1_000 })
    const stream = await open(place)
    const [held, passed] = [createMessage(), createMessage()]
    await stream.publish([held])
    await stream.publish([passed])
    const nats = await connect({ servers: place.url })
    const consumer = await (await jetstreamManager(nats)).jetstream().consumers.get(place.name, 'writer-0')
    let fetched = 0
    for await (const message of await consumer.fetch({ max_messages: 2 })) if (++fetched === 2) await message.ackAck()
    await nats.close()
    const deliveries: Delivery[] = []
    const ending = new AbortController()
    for await (const batch of stream.deliveries({ ...OPTIONS, signal: ending.signal })) {
      deliveries.push(...batch)
      if (!idsOf(deliveries).includes(passed.id)) continue
      await Promise.all(deliveries.map(({ ack }) => ack()))
      ending.abort()
    }
    expect(idsOf(deliveries)).toEqual([held.id, passed.id])
    expect((await stream.stats()).depth).toBe(0)
  })

  it('puts what somebody else published to the dead letters', async () => {
    const place = createPlace()
    const stream = await open(place)
    const nats = await connect({ servers: place.url })
    await (await jetstreamManager(nats)).jetstream().publish(`${place.name}.0`, 'hello')
    await nats.close()
    await stream.publish([createMessage()])
    await consume(stream, 1)
    const [letter] = await stream.deadLetters({ limit: 1 })
    expect(letter).toMatchObject({ reason: 'The message was not written by Spanhouse', message: { partition: 0 } })
    const { message } = (await stream.deadLetter(letter?.id as string)) as DeadLetter
    expect(Buffer.from(message.body as Uint8Array).toString()).toBe('hello')
  })
})

it.skipIf(!natsAvailable)('goes on after its server has rejected its credentials for a while', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'spanhouse-nats-users-'))
  const [config, log] = [join(folder, 'nats.conf'), join(folder, 'log')]
  const allow = (password: string) => writeFile(config, `authorization { user: me, password: ${password} }`)
  await allow('right')
  const server = await startNats('-c', config, '-l', log)
  const url = server.url.replace('//', '//me:right@')
  const stream = await openJetStream({ url, partitions: 2, bytesMax: 256 * 2 ** 20 })
  await allow('wrong')
  await server.restart()
  const rejections = async (): Promise<number> => (await readFile(log, 'utf8')).split('authentication error').length - 1
  await until(async () => (await rejections()) > 2)
  await expect(openJetStream({ url, partitions: 2, bytesMax: 256 * 2 ** 20 })).rejects.toThrow('Authorization')
  await allow('right')
  await server.restart()
  await until(() =>
    stream.publish([createMessage()]).then(
      () => true,
      () => false,
    ),
  )
  expect(await consume(stream, 1)).toHaveLength(1)
  await stream.close()
  await server.stop()
  await rm(folder, { recursive: true })
})

describe.skipIf(!natsAvailable)('JetStream without its server', () => {
  let server: NatsServer
  let stream: SpanStream
  let recreated = 0

  const open = () =>
    openJetStream({
      url: server.url,
      partitions: 2,
      bytesMax: 256 * 2 ** 20,
      ackWaitMs: 1_000,
      onRecreated: () => recreated++,
    })

  beforeAll(async () => {
    server = await startNats()
    stream = await open()
  })
  afterAll(async () => {
    await stream.close()
    await server.stop()
  })

  const publishAtLast = (to: SpanStream, message: SpanMessage) =>
    until(() =>
      to.publish([message]).then(
        () => true,
        () => false,
      ),
    )

  /** Publishes until `ended`, and returns the ids that were confirmed. */
  const publishUntil = async (ended: () => boolean) => {
    const confirmed: string[] = []
    while (!ended()) {
      const message = createMessage({ body: Buffer.alloc(20_000) })
      await stream.publish([message]).then(
        () => confirmed.push(message.id),
        error => expect(error).toMatchObject({ code: 'overloaded', retryAfterSeconds: expect.any(Number) }),
      )
      // Refusals come without a turn of the event loop.
      await new Promise(setImmediate)
    }
    return confirmed
  }

  it('loses nothing confirmed when the server is killed, and goes on when it is back', async () => {
    let ended = false
    const delivered = new Set<string>()
    const consuming = new AbortController()
    const consumer = (async () => {
      for await (const batch of stream.deliveries({ ...OPTIONS, signal: consuming.signal })) {
        await Promise.all(batch.map(delivery => delivery.ack()))
        for (const { message } of batch) delivered.add(message.id)
      }
    })()
    const publishers = Array.from({ length: 8 }, () => publishUntil(() => ended))
    for (let round = 1; round <= 2; round++) {
      await until(() => delivered.size > round * 200)
      await server.kill()
      const started = performance.now()
      await expect(stream.publish([createMessage()])).rejects.toMatchObject({ code: 'overloaded', status: 503 })
      expect(performance.now() - started).toBeLessThan(6_000)
      await server.restart()
      await publishAtLast(stream, createMessage())
    }
    ended = true
    const confirmed = (await Promise.all(publishers)).flat()
    await until(() => confirmed.every(id => delivered.has(id)))
    consuming.abort()
    await consumer
  })

  it('acknowledges when the server is back', async () => {
    const message = createMessage({ partition: 1 })
    await stream.publish([message])
    const consumed = consume(
      stream,
      1,
      async delivery => {
        await server.kill()
        const acknowledged = delivery.ack()
        await server.restart()
        await acknowledged
      },
      { partitions: [1] },
    )
    expect(idsOf(await consumed)).toEqual([message.id])
  })

  it('goes on without what it had when the server has lost its data, and what comes late for that harms nothing new', async () => {
    const publishers = await Promise.all(Array.from({ length: 3 }, open))
    const before = createMessage()
    await stream.publish([before])
    const published = new Set<string>()
    const consuming = new AbortController()
    const delivered: string[] = []
    for await (const batch of stream.deliveries({ ...OPTIONS, lingerMs: 0, signal: consuming.signal })) {
      if (batch[0]?.message.id === before.id) {
        await server.wipe()
        const messages = Array.from({ length: 30 }, () => createMessage())
        await Promise.all(messages.map((message, at) => publishAtLast(publishers[at % 3] as SpanStream, message)))
        for (const { id } of messages) published.add(id)
      }
      await Promise.all(batch.map(delivery => delivery.ack()))
      delivered.push(...idsOf(batch))
      if (published.isSubsetOf(new Set(delivered))) consuming.abort()
    }
    expect(delivered.toSorted()).toEqual([before.id, ...published].toSorted())
    expect(recreated).toBeGreaterThan(0)
    expect((await stream.stats()).depth).toBe(0)
    await Promise.all(publishers.map(publisher => publisher.close()))
  })

  it('loses nothing that a reader holds when the server is killed, whatever others have acknowledged', async () => {
    const options = { url: server.url, name: 'held', partitions: 8, bytesMax: 256 * 2 ** 20, ackWaitMs: 1_000 }
    const held = await openJetStream(options)
    const partitions = Array.from({ length: 8 }, (_, partition) => partition)
    const others = partitions.filter(partition => partition !== 1)
    const publishToAll = async (count: number): Promise<SpanMessage[]> => {
      const messages = Array.from({ length: count }, (_, at) => createMessage({ partition: at % 8 }))
      await held.publish(messages)
      return messages
    }
    for (let round = 0; round < 6; round++) {
      await publishToAll(160)
      await consume(held, 160, ({ ack }) => ack(), { partitions })
      const messages = await publishToAll(80)
      const mine = new Set(messages.filter(({ partition }) => partition === 1).map(({ id }) => id))
      const ending = new AbortController()
      const holding = (async () => {
        for await (const _ of held.deliveries({ ...OPTIONS, partitions: [1], signal: ending.signal })) {
          // Holds what it gets.
        }
      })()
      await consume(held, 70, ({ ack }) => ack(), { partitions: others })
      // What it was told is on its disk in part, and in another part each time.
      await sleep(round * 300)
      await server.kill()
      ending.abort()
      await holding
      await server.restart()
      const stopping = new AbortController()
      for await (const batch of held.deliveries({ ...OPTIONS, partitions, signal: stopping.signal })) {
        for (const { message } of batch) mine.delete(message.id)
        await Promise.all(batch.map(({ ack }) => ack()))
        if (mine.size === 0) stopping.abort()
      }
    }
    await held.close()
  })

  it('refuses in bounded time when the server does not answer', async () => {
    await publishAtLast(stream, createMessage())
    server.pause()
    const started = performance.now()
    await expect(stream.publish([createMessage({ body: Buffer.alloc(3_000_000) })])).rejects.toMatchObject({
      code: 'overloaded',
    })
    expect(performance.now() - started).toBeLessThan(8_000)
    server.resume()
    await publishAtLast(stream, createMessage())
  })
})
