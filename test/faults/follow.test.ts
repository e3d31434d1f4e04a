import { spawn } from 'node:child_process'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { newDataDir, startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { expect, test } from 'vitest'
import { call } from '../harness.ts'

const CLI = join(import.meta.dirname, '../../packages/cli/spanhouse.ts')

test('`spanhouse evaluate` follows its run across a restart of the only server', async () => {
  const dataDir = await newDataDir('follow')
  let server = await startServerProcess({ dataDir })
  const made = async (kind: string, data: object): Promise<void> => {
    const body = { [kind]: { slug: kind, data } }
    const answer = await call(server.url, 'POST', `/api/simple/${kind}s/`, `ApiKey ${server.apiKey}`, body)
    expect(answer.body.count, answer.text).toBe(1)
  }
  await made('testset', { testcases: Array.from({ length: 3 }, () => ({ data: { country: 'c' } })) })
  const then = { key: 'static', kwargs: { output: 'Paris' } }
  await made('application', {
    uri: 'agenta:custom:mock:v0',
    parameters: { key: 'delay', kwargs: { seconds: 2, then } },
  })
  const env = { ...process.env, SPANHOUSE_URL: server.url, SPANHOUSE_API_KEY: server.apiKey }
  const args = ['evaluate', '--testset', 'testset', '--application', 'application', '--json']
  const child = spawn(process.execPath, [CLI, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] })
  const isFollowing = new Promise<void>(resolve => {
    child.stderr.on('data', chunk => /of 3 scenarios/.test(String(chunk)) && resolve())
  })
  const closed = new Promise<number | null>(resolve => child.once('close', resolve))
  const out = text(child.stdout)
  await isFollowing
  await server.kill()
  server = await startServerProcess({ dataDir, like: server })
  expect(await closed).toBe(0)
  expect(JSON.parse(await out)).toMatchObject({ status: 'success', scenarios: { total: 3, by_status: { success: 3 } } })
  await server.kill()
  await rm(dataDir, { recursive: true, force: true })
})
