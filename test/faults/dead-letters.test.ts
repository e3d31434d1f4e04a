import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readFile, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Json } from '@spanhouse/model'
import { encodeTraces } from '@spanhouse/otlp'
import { newDataDir, type ServerProcess, startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { openEmbeddedStream, partitionOf, type SpanMessage } from '@spanhouse/span-stream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { call, eventually } from '../harness.ts'
import { exportOf, newTraceId, otlpSpan } from '../otlp.ts'

const COMMAND = fileURLToPath(new URL('../../packages/cli/spanhouse.ts', import.meta.url))
const STREAM_BYTES_MAX = 64 * 2 ** 20

const span = otlpSpan({ traceId: newTraceId(), name: 'lost and found' })
let dataDir: string
let server: ServerProcess
let key: string

/** A server whose stream has two dead letters: one that can be processed by now, and one that never can. */
beforeAll(async () => {
  dataDir = await newDataDir('letters')
  server = await startServerProcess({ dataDir })
  const made = await call(server.url, 'POST', '/api/admin/simple/accounts/', `Access ${server.adminKey}`, {
    accounts: { one: { user: { email: 'letters@example.test' } } },
  })
  const { one } = made.body.accounts
  key = `ApiKey ${one.api_keys.key}`
  await server.stop()
  const sender = { project_id: one.projects.prj.id, user_id: one.user.id }
  await rejectAll([
    { id: 'good', ...sender, body: encodeTraces(exportOf(span) as unknown as Json) },
    { id: 'bad', ...sender, body: Buffer.from([0x0a, 0xff]) },
  ])
  server = await startServerProcess({ dataDir, like: server })
})
afterAll(async () => {
  await server.kill()
  await rm(dataDir, { recursive: true, force: true })
})

async function rejectAll(messages: Pick<SpanMessage, 'id' | 'project_id' | 'user_id' | 'body'>[]): Promise<void> {
  const path = join(dataDir, 'stream')
  const stream = await openEmbeddedStream({ path, partitions: 2, bytesMax: STREAM_BYTES_MAX })
  const partition = partitionOf(Buffer.from(span.traceId, 'hex'), stream.partitions)
  const accepted = { partition, accepted_at: 1_770_000_000_000_000, span_count: 1, format: 'otlp' } as const
  for (const message of messages) {
    await stream.publish([{ ...accepted, ...message }])
    const { signal } = new AbortController()
    const bounds = { spansMax: 1, sharedSpansMax: 1, bytesMax: 1, lingerMs: 0, signal }
    for await (const [delivery] of stream.deliveries({ consumer: 'writer', partitions: [partition], ...bounds })) {
      await delivery?.reject(`${message.id}: not today`)
      break
    }
  }
  await stream.close()
}

const admin = (method: string, path: string) =>
  call(server.url, method, `/api/admin/dead-letters${path}`, `Access ${server.adminKey}`)

const spanhouse = (...args: string[]) =>
  promisify(execFile)(process.execPath, [COMMAND, 'dead-letters', ...args], {
    env: { ...process.env, SPANHOUSE_URL: server.url, SPANHOUSE_ADMIN_KEY: server.adminKey },
  })

test('only the administrator may see them', async () => {
  for (const path of ['', '/1']) {
    expect((await call(server.url, 'GET', `/api/admin/dead-letters${path}`, key)).status).toBe(401)
  }
})

test('are listed in pages, read with what was accepted, and bad pages are refused', async () => {
  const first = await admin('GET', '?limit=1')
  expect(first.body).toMatchObject({ count: 1, dead_letters: [{ reason: 'good: not today', span_count: 1 }] })
  const rest = await admin('GET', `?after=${first.body.windowing.after}`)
  expect(rest.body).toMatchObject({ count: 1, dead_letters: [{ reason: 'bad: not today', bytes: 2 }] })
  const { body } = await admin('GET', `/${rest.body.dead_letters[0].id}`)
  expect(Buffer.from(body.dead_letter.body, 'base64')).toEqual(Buffer.from([0x0a, 0xff]))
  expect((await admin('GET', '?limit=0')).body.detail).toMatchObject([{ loc: ['query', 'limit'] }])
  expect((await admin('GET', '/999')).status).toBe(404)
})

test('a replay stores the spans once, however often it is repeated', async () => {
  const { dead_letters: letters } = (await admin('GET', '')).body
  const good = letters.find((letter: any) => letter.reason.startsWith('good'))
  expect((await spanhouse('show', good.id)).stdout).toContain('good: not today')
  expect((await spanhouse('replay', good.id)).stdout).toContain('returned to the stream')
  const found = () => call(server.url, 'GET', `/api/spans/?trace_id=${span.traceId}`, key)
  await eventually(async () => (await found()).body.count === 1)
  await expect(spanhouse('replay', good.id)).rejects.toThrow('The dead letter does not exist')
  const again = await call(server.url, 'POST', '/api/otlp/v1/traces', key, exportOf(span))
  expect(again.status).toBe(202)
  await eventually(async () => (await server.metric('spanhouse_spans_written_total')) >= 2)
  expect((await found()).body.count).toBe(1)
  expect((await call(server.url, 'GET', `/api/traces/${span.traceId}`, key)).body.count).toBe(1)
  expect(server.output()).not.toContain('already sent')
})

test('a letter that still cannot be processed returns with its new reason, and can be discarded', async () => {
  const file = join(dataDir, 'letter')
  const [letter] = (await admin('GET', '')).body.dead_letters
  expect((await spanhouse('list')).stdout).toContain('bad: not today')
  await spanhouse('show', letter.id, '--body', file)
  expect(await readFile(file)).toEqual(Buffer.from([0x0a, 0xff]))
  await spanhouse('replay', 'all')
  const back = await eventually(async () => (await admin('GET', '')).body.dead_letters[0])
  expect(back.reason).toMatch(/^cannot be decoded/)
  await spanhouse('discard', back.id)
  expect((await spanhouse('list')).stdout).toContain('There are no dead letters.')
})

test('a replay of all goes on after a letter that somebody else has removed meanwhile', async () => {
  const letters = ['1', '2', '3'].map(id => ({ id, is_damaged: false }))
  const listing = createServer(({ method, url }, response) => {
    const id = /[^/]+(?=\/replay$)/.exec(url as string)?.[0]
    const gone = id === '2'
    const body =
      method === 'GET' ? { dead_letters: letters } : gone ? { detail: 'It is gone.' } : { dead_letter: { id } }
    response.writeHead(gone ? 404 : 200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await once(listing.listen(0, '127.0.0.1'), 'listening')
  const { port } = listing.address() as AddressInfo
  const env = { ...process.env, SPANHOUSE_URL: `http://127.0.0.1:${port}`, SPANHOUSE_ADMIN_KEY: 'any' }
  const { stdout } = await promisify(execFile)(process.execPath, [COMMAND, 'dead-letters', 'replay', 'all'], { env })
  listing.close()
  expect(stdout.split('\n')).toEqual([
    '1 was returned to the stream.',
    '3 was returned to the stream.',
    '1 was gone: someone else replayed or discarded it.',
    '',
  ])
})

test.each([[[]], [['nonsense']]])('an unknown command explains itself: %j', async args => {
  await expect(promisify(execFile)(process.execPath, [COMMAND, ...args])).rejects.toThrow('dead-letters list')
})

test.each([
  [
    { SPANHOUSE_URL: 'http://127.0.0.1:2/' },
    ['dead-letters', 'list'],
    'No response from http://127.0.0.1:2 (ECONNREFUSED)',
  ],
  [
    { SPANHOUSE_URL: 'http://127.0.0.1:2' },
    ['evaluate', randomUUID()],
    'No response from http://127.0.0.1:2 (ECONNREFUSED)',
  ],
  [{ SPANHOUSE_URL: '127.0.0.1:2' }, ['run', 'any'], 'SPANHOUSE_URL=127.0.0.1:2 is not an address'],
])('the command line names the server that does not respond: %j %j', async (settings, args, message) => {
  const env = { ...process.env, SPANHOUSE_ADMIN_KEY: 'any', SPANHOUSE_API_KEY: 'any', ...settings }
  await expect(promisify(execFile)(process.execPath, [COMMAND, ...args], { env })).rejects.toThrow(message)
})

test('the command line names the key that is refused', async () => {
  const env = { ...process.env, SPANHOUSE_URL: server.url, SPANHOUSE_ADMIN_KEY: 'of another installation' }
  const refused = promisify(execFile)(process.execPath, [COMMAND, 'dead-letters', 'list'], { env })
  await expect(refused).rejects.toThrow('rejects SPANHOUSE_ADMIN_KEY')
})
