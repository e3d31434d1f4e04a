import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { freePorts } from './clickhouse-server.ts'

const PROGRAM = fileURLToPath(new URL('./local-cluster.ts', import.meta.url))
let path: string
let cluster: ChildProcess | undefined

beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'spanhouse-local-cluster-'))
})
afterEach(async () => {
  if (cluster?.exitCode === null) {
    cluster.kill('SIGTERM')
    await once(cluster, 'exit')
  }
  await rm(path, { recursive: true, force: true })
})

test('a shard that dies right after its start is started again, and answers at its address', async () => {
  const [port = 0] = await freePorts(1)
  cluster = spawn(process.execPath, [PROGRAM, '--path', path, '--port', String(port)], {
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  cluster.stderr?.on('data', chunk => {
    said += chunk
  })
  const [setting] = await once(cluster.stdout as NonNullable<ChildProcess['stdout']>, 'data')
  const { origin, username, password } = new URL(String(setting).replace('export CLICKHOUSE_URL=', '').trim())
  const authorization = `Basic ${btoa(`${username}:${password}`)}`
  // As the server itself notes it in its folder.
  const status = await readFile(join(path, 'shard-1', 'status'), 'utf8')
  process.kill(Number(/PID: (\d+)/.exec(status)?.[1]), 'SIGKILL')
  await expect.poll(() => said).toMatch(/^shard 1: ClickHouse died \(SIGKILL\); it restarts in 0.2 s/)
  const answer = () => fetch(`${origin}/?query=SELECT+1`, { headers: { authorization } }).then(one => one.text())
  await expect.poll(() => answer().catch(() => undefined)).toBe('1\n')
  expect(cluster.exitCode).toBeNull()
})
