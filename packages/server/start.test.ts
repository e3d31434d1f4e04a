import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rename, rm, rmdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { natsAvailable, startNats } from '@spanhouse/span-stream/nats-server.testing.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readKeyFile } from './data-folder/key-file.ts'
import { newDataDir, startServerProcess } from './server-process.testing.ts'

let dataDir: string
beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'spanhouse-start-'))
})
afterAll(() => rm(dataDir, { recursive: true, force: true }))

test('a port in use and a folder that is none are said before anything is opened', async () => {
  const other = createServer()
  await new Promise<void>(resolve => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as { port: number }
  const env = { SPANHOUSE_PORT: String(port) }
  await expect(startServerProcess({ dataDir, env })).rejects.toThrow(
    new RegExp(`code 2:\\nSPANHOUSE_HOST, SPANHOUSE_PORT: .*address already in use 127.0.0.1:${port}\n$`),
  )
  other.close()
  const file = join(dataDir, 'file')
  await writeFile(file, '')
  await expect(startServerProcess({ dataDir: file })).rejects.toThrow(
    new RegExp(`code 2:\\nSPANHOUSE_DATA_DIR=${file}: EEXIST`),
  )
})

test('a first start without space on the disk leaves nothing that keeps the next one from starting', async () => {
  const full = join(dataDir, 'full')
  const main = fileURLToPath(new URL('./main.ts', import.meta.url))
  const start = promisify(execFile)('bash', ['-c', 'ulimit -f 0; exec "$0" "$@"', process.execPath, main], {
    env: { ...process.env, SPANHOUSE_DATA_DIR: full, SPANHOUSE_PORT: '0', SPANHOUSE_GRPC_PORT: '0' },
  })
  await expect(start).rejects.toThrow(/SPANHOUSE_DATA_DIR=.*: EFBIG/)
  expect(await readdir(full)).toEqual([])
  // Nor does one that cannot store the key that it makes, of which the database has only a hash.
  const env = { SPANHOUSE_API_KEY: '' }
  await mkdir(join(full, 'api-key'), { recursive: true })
  await expect(startServerProcess({ dataDir: full, env })).rejects.toThrow(/Spanhouse cannot start: .*api-key/)
  await rmdir(join(full, 'api-key'))
  const server = await startServerProcess({ dataDir: full, env })
  const key = await readKeyFile(full)
  expect(server.output()).toContain(`API key               ${key}`)
  await server.kill()
})

test('a start on another database keeps the key of the data folder, so that it opens both', async () => {
  const folder = await newDataDir('key')
  const env = { SPANHOUSE_API_KEY: '' }
  const statusOf = async (url: string, key = ''): Promise<number> =>
    (await fetch(`${url}/api/projects/current`, { headers: { authorization: `ApiKey ${key}` } })).status
  const first = await startServerProcess({ dataDir: folder, env })
  const key = await readKeyFile(folder)
  expect(first.output()).toContain(`API key               ${key}`)
  await first.stop()
  await rename(join(folder, 'postgres'), join(folder, 'first'))
  const second = await startServerProcess({ dataDir: folder, env })
  expect(second.output()).toContain(`API key               stored in ${join(folder, 'api-key')}`)
  expect(await readKeyFile(folder)).toBe(key)
  expect(await statusOf(second.url, key)).toBe(200)
  await second.stop()
  await rm(folder, { recursive: true })
})

test.skipIf(!natsAvailable)(
  'a start waits for a store that comes up later; a second process on its folder says so',
  async () => {
    const nats = await startNats()
    await nats.kill()
    const nobody = createServer(socket => socket.destroy()).listen(Number(new URL(nats.url).port), '127.0.0.1')
    const env = { NATS_URL: nats.url, SPANHOUSE_LOG_LEVEL: 'info' }
    const starting = startServerProcess({ dataDir, env })
    await once(nobody, 'connection')
    await new Promise(resolve => nobody.close(resolve))
    await nats.restart()
    const server = await starting
    expect(server.output()).toContain('waiting for a store')
    const addresses = server
      .output()
      .split('\n')
      .filter(line => line.startsWith('{') && line.includes('http://'))
    expect(addresses).toEqual([expect.stringContaining('"msg":"listening"')])
    await expect(startServerProcess({ dataDir, env })).rejects.toThrow(
      /Spanhouse cannot start: .* is in use by another process/,
    )
    await server.kill()
    await nats.stop()
  },
)

test.skipIf(!natsAvailable)('a start says at once which setting is wrong if a store refuses it', async () => {
  const nats = await startNats('--user', 'writer', '--pass', 'right')
  const url = nats.url.replace('//', '//writer:wrong@')
  await expect(startServerProcess({ dataDir, env: { NATS_URL: url } })).rejects.toThrow(
    /Spanhouse cannot start: NATS_URL: .*authorization/i,
  )
  await nats.stop()
})
