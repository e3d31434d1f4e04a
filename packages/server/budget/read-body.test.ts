import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { Gauge } from 'prom-client'
import { expect, test } from 'vitest'
import { inflateBody, readBody } from './read-body.ts'
import { Room } from './room.ts'

const bytesMax = 2 ** 20
const held = () => new Room(new Gauge({ name: 'bytes', help: 'bytes', registers: [] })).enter({ project_id: 'a' })

/** Bytes in memory of their own, as a connection delivers them. */
const ownMemory = (bytes: Uint8Array): Buffer => Buffer.from(Uint8Array.from(bytes).buffer)

test('the chunks of a body are freed once it is whole, and the compressed body once it is decompressed', async () => {
  const content = randomBytes(100_000)
  const sent = gzipSync(content)
  const chunks = [ownMemory(sent.subarray(0, 60_000)), ownMemory(sent.subarray(60_000))]
  const body = await readBody(Readable.from(chunks), bytesMax, held())
  expect(body.equals(sent)).toBe(true)
  expect(chunks.map(({ length }) => length)).toEqual([0, 0])
  const inflated = await inflateBody(body, 'gzip', { bytesMax, held: held() })
  expect(inflated.equals(content)).toBe(true)
  expect(body).toHaveLength(0)
})

test('memory that other buffers share is not freed, nor a body that is not compressed', async () => {
  const shared = ownMemory(randomBytes(10_000))
  const copy = Buffer.from(shared)
  const chunks = [shared.subarray(0, 4_000), shared.subarray(4_000)]
  const body = await readBody(Readable.from(chunks), bytesMax, held())
  expect(shared.equals(copy)).toBe(true)
  expect((await inflateBody(body, undefined, { bytesMax, held: held() })).equals(copy)).toBe(true)
})
