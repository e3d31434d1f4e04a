import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, type TestContext, test, vi } from 'vitest'
import { readKeyFile } from './data-folder/key-file.ts'
import { childrenOf } from './process-figures.testing.ts'
import { newDataDir } from './server-process.testing.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const START = 'packages/server/start.ts'
const PATIENCE = { timeout: 180_000, interval: 200 }

/** `npm start` on a data folder of its own. */
interface Started {
  supervisor: ChildProcess
  dataDir: string
  output: string
}

/** Stopped and removed when the test ends. */
async function start(
  { onTestFinished }: TestContext,
  {
    options = '',
    env = {},
    out = 'pipe',
    log = 'pipe',
    root = ROOT,
  }: { options?: string; env?: NodeJS.ProcessEnv; out?: number | 'pipe'; log?: number | 'pipe'; root?: string } = {},
): Promise<Started> {
  const dataDir = await newDataDir('supervised')
  const supervisor = spawn(process.execPath, [join(root, START)], {
    env: {
      ...process.env,
      NODE_OPTIONS: options,
      SPANHOUSE_PORT: '0',
      // The default one is needed by the test of a start that finds it in use.
      SPANHOUSE_GRPC_PORT: '0',
      SPANHOUSE_DATA_DIR: dataDir,
      ...env,
    },
    stdio: ['ignore', out, log],
  })
  const started: Started = { supervisor, dataDir, output: '' }
  for (const stream of [supervisor.stdout, supervisor.stderr])
    stream?.on('data', chunk => {
      started.output += String(chunk)
    })
  onTestFinished(async () => {
    if (supervisor.exitCode === null && supervisor.signalCode === null) {
      supervisor.kill('SIGTERM')
      await once(supervisor, 'exit')
    }
    await rm(dataDir, { recursive: true, force: true })
  })
  return started
}

/** The addresses so far, from what standard output or the log says: the log does so without a path. */
const urls = ({ output }: Started): string[] => {
  const found = output.matchAll(/(?:Spanhouse listens at +|"url":")(http:\/\/[^\s"/]+)/g)
  return [...new Set([...found].map(([, origin]) => `${origin}/api`))]
}
/** Unlike `expect.poll`, for tests that run at the same time. */
const until = <T>(read: () => T | Promise<T>, value: T): Promise<void> =>
  vi.waitFor(async () => expect(await read()).toBe(value), PATIENCE)

async function untilStarted(started: Started, times: number): Promise<string> {
  await until(() => urls(started).length, times)
  return urls(started).at(-1) as string
}

async function programId({ supervisor: { pid } }: Started): Promise<number> {
  return (await childrenOf(pid as number))[0] as number
}
const isRunning = (id: number): boolean => {
  try {
    return process.kill(id, 0)
  } catch {
    return false
  }
}

/** Posts to a path of the program's latest address. */
async function ask(started: Started, path: string, body: unknown): Promise<any> {
  const key = await readKeyFile(started.dataDir)
  const headers = { authorization: `ApiKey ${key}`, 'content-type': 'application/json' }
  const answer = await fetch(urls(started).at(-1) + path, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: answer.status, body: await answer.json() }
}

const SPAN = {
  traceId: 'a0000000000000000000000000000001',
  spanId: 'b000000000000001',
  name: 'one',
  startTimeUnixNano: '1760000000000000000',
  endTimeUnixNano: '1760000001000000000',
}
async function send(started: Started): Promise<void> {
  const sent = await ask(started, '/otlp/v1/traces', { resourceSpans: [{ scopeSpans: [{ spans: [SPAN] }] }] })
  expect(sent.status).toBe(202)
}
const countOf = async (started: Started): Promise<number> => (await ask(started, '/spans/query', {})).body.count

// The first one waits for half a minute, so the others run meanwhile.
test.concurrent('a program that is killed, or does not answer any more, starts again with everything accepted', async context => {
  const started = await start(context)
  await untilStarted(started, 1)
  await send(started)
  process.kill(await programId(started), 'SIGKILL')
  await untilStarted(started, 2)
  expect(started.output).toContain('Spanhouse exited (SIGKILL) and restarts in 1 s')
  await until(() => countOf(started), 1)

  const stopped = await programId(started)
  process.kill(stopped, 'SIGSTOP')
  await untilStarted(started, 3)
  expect(isRunning(stopped)).toBe(false)
  expect(await countOf(started)).toBe(1)

  const program = await programId(started)
  started.supervisor.kill('SIGTERM')
  expect((await once(started.supervisor, 'exit'))[0]).toBe(0)
  expect(isRunning(program)).toBe(false)
}, 600_000)

test.concurrent('a program that is out of memory ends at once and starts again with everything accepted', async context => {
  const started = await start(context, { options: '--max-old-space-size=100' })
  await untilStarted(started, 1)
  await send(started)
  // Two of these are let in at a time, and so small a heap does not hold both.
  const spans = Array(900_000).fill({})
  const bomb = (): Promise<unknown> => ask(started, '/tracing/spans/ingest', { spans }).catch(() => undefined)
  const until = performance.now() + 120_000
  while (!started.output.includes('heap out of memory') && performance.now() < until)
    await Promise.race([delay(10_000), Promise.all([bomb(), bomb(), bomb(), bomb()])])
  expect(started.output).toContain('heap out of memory')
  await untilStarted(started, 2)
  expect(await countOf(started)).toBe(1)
  expect(started.output).not.toContain('did not respond')
}, 600_000)

test.concurrent('a program whose supervisor is killed ends, too', async context => {
  const started = await start(context)
  await untilStarted(started, 1)
  const program = await programId(started)
  started.supervisor.kill('SIGKILL')
  await until(() => isRunning(program), false)
}, 400_000)

test.concurrent('a program that ends in order, or cannot start, is not started again', async context => {
  const refused = await start(context, { env: { SPANHOUSE_ROLES: 'nonsense' } })
  expect((await once(refused.supervisor, 'exit'))[0]).toBe(2)
  expect(refused.output).toContain('there is no role "nonsense"')
  expect(refused.output).not.toContain('restarts in')
  const started = await start(context)
  await untilStarted(started, 1)
  process.kill(await programId(started), 'SIGTERM')
  expect((await once(started.supervisor, 'exit'))[0]).toBe(0)
  expect(started.output).not.toContain('restarts in')
}, 400_000)

test.concurrent('a program ends in order when its terminal is gone, and while it waits for a store', async context => {
  const waiting = await start(context, { env: { NATS_URL: 'nats://127.0.0.1:1' } })
  await until(() => waiting.output.includes('waiting for a store'), true)
  waiting.supervisor.kill('SIGTERM')
  expect((await once(waiting.supervisor, 'exit'))[0]).toBe(0)
  const started = await start(context)
  await untilStarted(started, 1)
  // From the kernel, like each process of the terminal.
  process.kill(await programId(started), 'SIGHUP')
  expect((await once(started.supervisor, 'exit'))[0]).toBe(0)
  expect(started.output).toMatch(/"stopped"/)
}, 400_000)

test.concurrent('a stop before the program listens to signals is in order, too', async context => {
  const started = await start(context)
  const hasProgram = async (): Promise<void> => expect(await programId(started)).toBeDefined()
  await vi.waitFor(hasProgram, { ...PATIENCE, interval: 1 })
  started.supervisor.kill('SIGTERM')
  expect(await once(started.supervisor, 'exit')).toEqual([0, null])
  expect(started.output).toBe('')
}, 400_000)

test.concurrent('a log on a full disk ends neither the program nor its supervisor', async context => {
  const full = openSync('/dev/full', 'w')
  context.onTestFinished(() => closeSync(full))
  const started = await start(context, { log: full })
  await untilStarted(started, 1)
  await send(started)
  process.kill(await programId(started), 'SIGKILL')
  await untilStarted(started, 2)
  await until(() => countOf(started), 1)
}, 400_000)

test.concurrent('standard output on a full disk does not end the program, whatever its threads report', async context => {
  const full = openSync('/dev/full', 'w')
  context.onTestFinished(() => closeSync(full))
  const started = await start(context, { out: full })
  await untilStarted(started, 1)
  for (const child of await childrenOf(await programId(started)))
    if ((await readFile(`/proc/${child}/cmdline`, 'utf8')).includes('clickhouse')) process.kill(child, 'SIGKILL')
  await send(started)
  await until(() => started.output.includes('"name":"writer"'), true)
  await until(() => countOf(started), 1)
  expect(urls(started)).toHaveLength(1)
}, 400_000)

/** Libraries that the sandbox reads, which may read nothing beside them. */
const SANDBOXED = ['amaro', 'pyodide', 'quickjs-wasi']

/** The program in another folder: its own packages are copied, most libraries are linked. */
async function copyTo(root: string): Promise<void> {
  const isOwn = (path: string): boolean => !['node_modules', 'dist'].includes(basename(path))
  for (const folder of ['packages', 'migrations', 'clickhouse'])
    await cp(join(ROOT, folder), join(root, folder), { recursive: true, filter: isOwn })
  const libraries = join(ROOT, 'node_modules')
  await mkdir(join(root, 'node_modules', '@spanhouse'), { recursive: true })
  for (const name of await readdir(libraries)) {
    const [from, to] = [join(libraries, name), join(root, 'node_modules', name)]
    if (SANDBOXED.includes(name)) await cp(from, to, { recursive: true })
    else if (name !== '@spanhouse') await symlink(from, to)
  }
  for (const name of await readdir(join(root, 'packages')))
    await symlink(join(root, 'packages', name), join(root, 'node_modules', '@spanhouse', name))
}

test.concurrent('the program may be in a folder of any name', async context => {
  const parent = await mkdtemp(join(tmpdir(), 'spanhouse-folder-'))
  context.onTestFinished(() => rm(parent, { recursive: true, force: true }))
  const root = join(parent, 'an ünusual %20 #folder?')
  await copyTo(root)
  const started = await start(context, { root })
  await untilStarted(started, 1)
  await send(started)
  await until(() => countOf(started), 1)
  const uri = 'agenta:builtin:auto_custom_code_run:v0'
  const code = 'def evaluate(app_params, inputs, output, correct_answer):\n    return 0.5'
  const run = await ask(started, '/services/invoke', {
    data: { inputs: { correct_answer: '' }, outputs: '', revision: { data: { uri, parameters: { code } } } },
  })
  expect(run).toMatchObject({ status: 200, body: { data: { outputs: { score: 0.5 } } } })
}, 400_000)
