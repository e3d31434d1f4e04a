import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readKeyFile } from './key-file.ts'

const START = new URL('./start.ts', import.meta.url).pathname
const PATIENCE = { timeout: 180_000, interval: 200 }

let dataDir: string
let supervisor: ChildProcess
let output: string
beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'spanhouse-supervised-'))
})
afterEach(async () => {
  if (supervisor.exitCode === null && supervisor.signalCode === null) {
    supervisor.kill('SIGTERM')
    await once(supervisor, 'exit')
  }
  await rm(dataDir, { recursive: true, force: true })
})

/** As `npm start` does. */
function start(env: NodeJS.ProcessEnv = {}): void {
  output = ''
  supervisor = spawn(process.execPath, [START], {
    env: { ...process.env, SPANHOUSE_PORT: '0', SPANHOUSE_DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [supervisor.stdout, supervisor.stderr])
    stream?.on('data', chunk => {
      output += String(chunk)
    })
}

const urls = (): string[] => [...output.matchAll(/Spanhouse listens at +(\S+)/g)].map(([, url]) => url as string)
async function untilStarted(times: number): Promise<string> {
  await expect.poll(() => urls().length, PATIENCE).toBe(times)
  return urls().at(-1) as string
}

async function programId(): Promise<number> {
  const children = await readFile(`/proc/${supervisor.pid}/task/${supervisor.pid}/children`, 'utf8')
  return Number(children.trim().split(' ')[0])
}
const isRunning = (id: number): boolean => {
  try {
    return process.kill(id, 0)
  } catch {
    return false
  }
}

async function ask(url: string, path: string, body: unknown): Promise<any> {
  const headers = { authorization: `ApiKey ${await readKeyFile(dataDir)}`, 'content-type': 'application/json' }
  const answer = await fetch(url + path, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: answer.status, body: await answer.json() }
}

const SPAN = {
  traceId: 'a0000000000000000000000000000001',
  spanId: 'b000000000000001',
  name: 'one',
  startTimeUnixNano: '1760000000000000000',
  endTimeUnixNano: '1760000001000000000',
}
async function send(url: string): Promise<void> {
  const sent = await ask(url, '/otlp/v1/traces', { resourceSpans: [{ scopeSpans: [{ spans: [SPAN] }] }] })
  expect(sent.status).toBe(202)
}
const countOf = async (url: string): Promise<number> => (await ask(url, '/spans/query', {})).body.count

test('a program that is killed, or does not answer any more, starts again with everything accepted', async () => {
  start()
  const first = await untilStarted(1)
  await send(first)
  process.kill(await programId(), 'SIGKILL')
  const second = await untilStarted(2)
  expect(output).toContain('Spanhouse exited (SIGKILL) and restarts in 1 s')
  await expect.poll(() => countOf(second), PATIENCE).toBe(1)

  const stopped = await programId()
  process.kill(stopped, 'SIGSTOP')
  const third = await untilStarted(3)
  expect(isRunning(stopped)).toBe(false)
  expect(await countOf(third)).toBe(1)

  const program = await programId()
  supervisor.kill('SIGTERM')
  expect((await once(supervisor, 'exit'))[0]).toBe(0)
  expect(isRunning(program)).toBe(false)
}, 600_000)

test('a program that is out of memory ends at once and starts again with everything accepted', async () => {
  start({ NODE_OPTIONS: '--max-old-space-size=100' })
  const url = await untilStarted(1)
  await send(url)
  // Two of these are let in at a time, and so small a heap does not hold both.
  const spans = Array(900_000).fill({})
  const until = performance.now() + 120_000
  while (!output.includes('heap out of memory') && performance.now() < until)
    await Promise.race([
      delay(10_000),
      Promise.all(Array.from({ length: 4 }, () => ask(url, '/tracing/spans/ingest', { spans }).catch(() => undefined))),
    ])
  expect(output).toContain('heap out of memory')
  expect(await countOf(await untilStarted(2))).toBe(1)
  expect(output).not.toContain('did not respond')
}, 600_000)

test('a program whose supervisor is killed ends, too', async () => {
  start()
  await untilStarted(1)
  const program = await programId()
  supervisor.kill('SIGKILL')
  await expect.poll(() => isRunning(program), PATIENCE).toBe(false)
}, 400_000)

test('a program that ends in order, or cannot start, is not started again', async () => {
  start({ SPANHOUSE_ROLES: 'nonsense' })
  expect((await once(supervisor, 'exit'))[0]).toBe(2)
  expect(output).toContain('there is no role "nonsense"')
  expect(output).not.toContain('restarts in')
  start()
  await untilStarted(1)
  process.kill(await programId(), 'SIGTERM')
  expect((await once(supervisor, 'exit'))[0]).toBe(0)
  expect(output).not.toContain('restarts in')
}, 400_000)
