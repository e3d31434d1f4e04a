import { readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { newDataDir, type ServerProcess, startServerProcess } from '../server-process.testing.ts'

const dirs: string[] = []
afterAll(() => Promise.all(dirs.map(dir => rm(dir, { recursive: true, force: true }))))

const SECRET = 'sk-that-nobody-should-see'
const secrets = async ({ url, apiKey }: ServerProcess, method: string, body?: object): Promise<any> => {
  const headers = { authorization: `ApiKey ${apiKey}` }
  return (await fetch(`${url}/api/secrets`, { method, headers, body: body && JSON.stringify(body) })).json()
}

test('a short key is refused where an installation begins', async () => {
  const dataDir = await newDataDir('secrets')
  dirs.push(dataDir)
  const env = { SPANHOUSE_SECRET_KEY: 'x'.repeat(23) }
  await expect(startServerProcess({ dataDir, env })).rejects.toThrow(
    /Spanhouse cannot start: SPANHOUSE_SECRET_KEY is shorter than 24 characters/,
  )
})

test('secrets outlive a restart, with the key in the data folder, and reach no log', async () => {
  const dataDir = await newDataDir('secrets')
  dirs.push(dataDir)
  // The harness presets a key; this one is to make its own.
  const env = { SPANHOUSE_LOG_LEVEL: 'trace', SPANHOUSE_SECRET_KEY: '' }
  const first = await startServerProcess({ dataDir, env })
  const data = { kind: 'openai', provider: { key: SECRET } }
  await secrets(first, 'POST', { header: {}, secret: { kind: 'provider_key', data } })
  await secrets(first, 'POST', { header: {}, secret: { kind: 'provider_key', data: { ...data, kind: SECRET } } })
  expect(await first.stop()).toBe(0)
  const key = await readFile(join(dataDir, 'secret-key'), 'utf8')
  expect(key).toMatch(/^[0-9a-f]{64}\n$/)
  expect((await stat(join(dataDir, 'secret-key'))).mode & 0o777).toBe(0o600)

  const second = await startServerProcess({ dataDir, env, like: first })
  expect(await secrets(second, 'GET')).toMatchObject([{ data: { provider: { key: SECRET } } }])
  expect(second.output()).not.toContain('different SPANHOUSE_SECRET_KEY')
  await second.stop()
  // Short as it is, it is only warned of here: the installation may have begun with it.
  const other = await startServerProcess({ dataDir, env: { ...env, SPANHOUSE_SECRET_KEY: 'another' }, like: first })
  expect(await secrets(other, 'GET')).toMatchObject({ detail: { operation_id: 'get_secrets' } })
  expect(other.output()).toContain('different SPANHOUSE_SECRET_KEY')
  expect(other.output()).toContain('SPANHOUSE_SECRET_KEY is shorter than 24 characters')
  expect(other.output()).toContain(
    '"secrets":1,"msg":"stored secrets were encrypted with a different SPANHOUSE_SECRET_KEY',
  )
  await other.stop()
  for (const server of [first, second, other]) {
    expect(server.output()).not.toContain(SECRET)
    expect(server.output()).not.toContain(key.trim())
  }
})
