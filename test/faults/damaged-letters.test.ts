import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { rm } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { newDataDir, type ServerProcess, startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { type NatsServer, natsAvailable, startNats } from '@spanhouse/span-stream/nats-server.testing.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { call, eventually } from '../harness.ts'

const COMMAND = fileURLToPath(new URL('../../packages/cli/spanhouse.ts', import.meta.url))

describe.skipIf(!natsAvailable)('a dead letter that cannot be read', () => {
  let dataDir: string
  let nats: NatsServer
  let server: ServerProcess
  beforeAll(async () => {
    dataDir = await newDataDir('damaged')
    nats = await startNats()
    server = await startServerProcess({ dataDir, env: { NATS_URL: nats.url } })
  })
  afterAll(async () => {
    await server?.stop()
    await nats?.stop()
    await rm(dataDir, { recursive: true, force: true })
  })

  const admin = (method: string, path = '') =>
    call(server.url, method, `/api/admin/dead-letters${path}`, `Access ${server.adminKey}`)

  const spanhouse = (...args: string[]) =>
    promisify(execFile)(process.execPath, [COMMAND, 'dead-letters', ...args], {
      env: { ...process.env, SPANHOUSE_URL: server.url, SPANHOUSE_ADMIN_KEY: server.adminKey },
    })

  /** Publishes where dead letters are stored, without the headers of one, by NATS's text protocol. */
  async function publish(text: string): Promise<void> {
    const { hostname, port } = new URL(nats.url)
    const socket = createConnection(Number(port), hostname)
    await once(socket, 'data')
    socket.end(`CONNECT {"verbose":false}\r\nPUB spans-dead.nobody.knows ${text.length}\r\n${text}\r\nPING\r\n`)
    await once(socket, 'data')
    socket.destroy()
  }

  test('is listed as such, and can be discarded but not replayed', async () => {
    await publish('not a letter')
    const [letter] = await eventually(async () => {
      const { body } = await admin('GET')
      return body.count === 1 && body.dead_letters
    })
    expect(letter).toMatchObject({ is_damaged: true, bytes: 0, span_count: 0 })
    const path = `/${letter.id}`
    expect((await admin('GET', path)).body.dead_letter).toMatchObject({ is_damaged: true, body: null })
    expect(await admin('POST', `${path}/replay`)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('can only be discarded') },
    })
    expect((await spanhouse('list')).stdout).toContain('DAMAGED')
    await expect(spanhouse('show', letter.id, '--body', join(dataDir, 'body'))).rejects.toThrow('cannot be read')
    // Letters that can be replayed are replayed; this one stays.
    expect((await spanhouse('replay', 'all')).stdout).toBe('')
    await spanhouse('discard', letter.id)
    expect((await admin('GET')).body).toMatchObject({ count: 0, dead_letters: [] })
  })
})
