import { once } from 'node:events'
import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { readKeyFile } from '../data-folder/key-file.ts'
import { startServerProcess } from '../server-process.testing.ts'

let parent: string
beforeAll(async () => {
  parent = await mkdtemp(join(tmpdir(), 'spanhouse-private-'))
})
afterAll(() => rm(parent, { recursive: true, force: true }))

const SPAN = {
  traceId: 'a0000000000000000000000000000001',
  spanId: 'b000000000000001',
  name: 'one',
  startTimeUnixNano: '1760000000000000000',
  endTimeUnixNano: '1760000001000000000',
}

const rights = async (path: string): Promise<number> => (await stat(path)).mode & 0o777

/** What somebody else may read, write or enter. */
async function openToOthers(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true })
  const modes = await Promise.all(entries.map(async entry => ({ entry, mode: await rights(join(folder, entry)) })))
  expect(modes.length).toBeGreaterThan(100)
  return modes.filter(({ mode }) => (mode & 0o077) !== 0).map(({ entry, mode }) => `${entry} ${mode.toString(8)}`)
}

test('the data folder and all that every part puts into it are the user’s alone', async () => {
  const dataDir = join(parent, 'new', 'data')
  const before = process.umask(0o022)
  const server = await startServerProcess({ dataDir, env: { SPANHOUSE_API_KEY: '', SPANHOUSE_SECRET_KEY: '' } })
  process.umask(before)
  // The writer's and the engine's files, too.
  const answer = await fetch(`${server.url}/api/otlp/v1/traces`, {
    method: 'POST',
    headers: { authorization: `ApiKey ${await readKeyFile(dataDir)}`, 'content-type': 'application/json' },
    body: JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [SPAN] }] }] }),
  })
  expect(answer.status).toBe(202)
  await expect.poll(() => server.metric('spanhouse_spans_written_total')).toBe(1)
  expect(await server.stop()).toBe(0)
  expect(await rights(dataDir)).toBe(0o700)
  expect(await openToOthers(dataDir)).toEqual([])
})

test('a folder and key files that are open to others are closed', async () => {
  const dataDir = join(parent, 'loose')
  await mkdir(dataDir)
  await writeFile(join(dataDir, 'secret-key'), 'a key that was copied here by hand\n')
  await chmod(dataDir, 0o777)
  await chmod(join(dataDir, 'secret-key'), 0o644)
  // That comes before anything else: also before a start that fails, here since its port is in use.
  const other = createServer().listen(0, '127.0.0.1')
  onTestFinished(() => void other.close())
  await once(other, 'listening')
  const { port } = other.address() as AddressInfo
  const env = { SPANHOUSE_SECRET_KEY: '', SPANHOUSE_PORT: String(port) }
  await expect(startServerProcess({ dataDir, env })).rejects.toThrow('SPANHOUSE_HOST, SPANHOUSE_PORT: ')
  expect(await rights(dataDir)).toBe(0o700)
  expect(await rights(join(dataDir, 'secret-key'))).toBe(0o600)
})

test.skipIf(process.getuid?.() !== 0)('a folder of another user is refused in a line', async () => {
  const dataDir = join(parent, 'foreign')
  await mkdir(dataDir)
  await chown(dataDir, 12_345, 12_345)
  await expect(startServerProcess({ dataDir })).rejects.toThrow(
    new RegExp(`code 2:\\nSPANHOUSE_DATA_DIR=${dataDir}: .* belongs to another user \\(uid 12345, not 0\\)\\n$`),
  )
  expect(await rights(dataDir)).not.toBe(0o700)
})

test('an admin key that can be guessed is refused in a line', async () => {
  const env = { SPANHOUSE_ADMIN_KEY: 'x'.repeat(23) }
  await expect(startServerProcess({ dataDir: join(parent, 'short'), env })).rejects.toThrow(
    /code 2:\nSPANHOUSE_ADMIN_KEY is shorter than 24 characters.*\n$/,
  )
})
