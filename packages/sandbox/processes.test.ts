import { type StdioOptions, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { getPriority } from 'node:os'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { Problem } from '@spanhouse/model'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { isSample } from '../../test/sets/sample.ts'
import {
  type CodeOutcome,
  type CodeRequest,
  openSandbox,
  type Runtime,
  SANDBOX_LIMITS,
  type Sandbox,
  type SandboxOptions,
} from './index.ts'

const opened: Sandbox[] = []
const open = (options?: SandboxOptions): Sandbox => {
  const sandbox = openSandbox(options)
  opened.push(sandbox)
  return sandbox
}
afterEach(() => Promise.all(opened.splice(0).map(sandbox => sandbox.close())))

const ONE = { javascript: 'const evaluate = () => 1', python: 'def evaluate():\n    return 1' } as const
const FOREVER = {
  javascript: 'const evaluate = () => { for (;;) {} }',
  python: 'def evaluate():\n    while True: pass',
} as const
/** Their processes are kept in the same way; that of Python takes two seconds to start. */
const LANGUAGES = isSample ? (['javascript'] as const) : (['javascript', 'python'] as const)

const run = (sandbox: Sandbox, runtime: Runtime, source: string, owner = 'one'): Promise<CodeOutcome> =>
  sandbox.run({ owner, runtime, source, arguments: [] })

/** A process that has ended and has not been waited for counts as gone. */
function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

const sessionOf = (pid: number): string | undefined =>
  readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[3]

const untilGone = (pids: number[]): Promise<void> =>
  vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), { timeout: 60_000 })

// On one processor beside a thread of normal priority, code gets a tenth of it. Not in a sample: it takes 13 s.
if (!isSample)
  test('code that waits for a processor for longer than it may run is not ended for that', async () => {
    const sandbox = open({ processesMax: 1 })
    await run(sandbox, 'javascript', ONE.javascript)
    const hog = spawn(process.execPath, ['--eval', 'for (;;);'], { stdio: 'ignore' })
    onTestFinished(() => void hog.kill('SIGKILL'))
    for (const pid of [hog.pid, ...sandbox.pids()]) {
      const { status } = spawnSync('taskset', ['--all-tasks', '--cpu-list', '--pid', '0', String(pid)])
      expect(status).toBe(0)
    }
    const ms = SANDBOX_LIMITS.wallMsMax + 3_000
    const source = `const evaluate = () => { const end = Date.now() + ${ms}; while (Date.now() < end); return 'ended' }`
    expect(await run(sandbox, 'javascript', source)).toEqual({ ok: true, value: 'ended' })
  })

test('a run that has to wait is told how many run at a time, and when it begins', async () => {
  const sandbox = open({ processesMax: 2, warm: 0 })
  const told: unknown[] = []
  const first = run(sandbox, 'javascript', ONE.javascript)
  const onWait = (atOnceMax: number): number => told.push(atOnceMax)
  const onStart = (): number => told.push('begins')
  const request: CodeRequest = { owner: 'one', runtime: 'javascript', source: ONE.javascript, arguments: [] }
  const second = sandbox.run({ ...request, onWait, onStart })
  expect(told).toEqual([1])
  await Promise.all([first, second])
  expect(told).toEqual([1, 'begins'])
})

test.each(LANGUAGES)(
  '%s: a process killed from outside fails its run as one to try again, and the next works',
  async runtime => {
    const sandbox = open({ processesMax: 1, warm: 0 })
    expect(await run(sandbox, runtime, ONE[runtime])).toEqual({ ok: true, value: 1 })
    const [pid] = sandbox.pids() as [number]
    const failing = run(sandbox, runtime, FOREVER[runtime])
    const settled = failing.catch(error => error)
    process.kill(pid, 'SIGKILL')
    const problem = (await settled) as Problem
    expect(problem).toBeInstanceOf(Problem)
    expect(problem).toMatchObject({ code: 'overloaded', retryable: true })
    expect(problem.message).toBe('The process that ran the code exited. Try again.')
    expect(await run(sandbox, runtime, ONE[runtime])).toEqual({ ok: true, value: 1 })
  },
)

test('a process killed while it starts fails the waiting run as one to try again', async () => {
  const sandbox = open({ processesMax: 1, warm: 0 })
  const starting = run(sandbox, 'python', ONE.python).catch(error => error)
  process.kill(sandbox.pids()[0] as number, 'SIGKILL')
  expect(await starting).toMatchObject({ code: 'overloaded', retryable: true })
  expect(await run(sandbox, 'python', ONE.python)).toEqual({ ok: true, value: 1 })
})

test('a process runs behind its parent, in the same session, and outlives Ctrl-C, which its parent handles', async () => {
  const sandbox = open({ processesMax: 1, warm: 0 })
  await run(sandbox, 'javascript', ONE.javascript)
  const [pid] = sandbox.pids() as [number]
  expect(getPriority(pid)).toBe(Math.max(10, getPriority()))
  expect(sessionOf(pid)).toBe(sessionOf(process.pid))
  process.kill(pid, 'SIGINT')
  expect(await run(sandbox, 'javascript', ONE.javascript)).toEqual({ ok: true, value: 1 })
  expect(sandbox.pids()).toEqual([pid])
})

test('what escapes from WebAssembly is in a process that may not use network, files or other programs', async () => {
  const sandbox = open({ processesMax: 1, warm: 0 })
  await run(sandbox, 'javascript', ONE.javascript)
  const command = readFileSync(`/proc/${sandbox.pids()[0]}/cmdline`, 'utf8').split('\0')
  const flags = command.filter(word => word.startsWith('--'))
  for (const attempt of [
    "require('node:net').connect(1, '127.0.0.1')",
    "require('node:net').createServer().listen(0)",
    "require('node:dgram').createSocket('udp4').send('', 1, '127.0.0.1')",
    "require('node:dns').promises.lookup('localhost')",
    "fetch('http://127.0.0.1:65000')",
    "require('node:fs').readFileSync('/etc/hostname')",
    "require('node:child_process').spawn('true')",
  ]) {
    const { stderr } = spawnSync(process.execPath, [...flags, '--eval', attempt], { encoding: 'utf8' })
    expect(stderr, attempt).toContain('ERR_ACCESS_DENIED')
  }
})

test('the death of the parent ends the children, whatever they run', async () => {
  const parent = spawn(process.execPath, [fileURLToPath(new URL('./parent.testing.ts', import.meta.url))], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [line] = (await once(parent.stdout, 'data')) as [Buffer]
  const pids = JSON.parse(line.toString()) as number[]
  expect(pids.filter(isAlive)).toHaveLength(2)
  parent.kill('SIGKILL')
  await untilGone(pids)
})

test('a file that the parent has open for its children is not open in them', async () => {
  const secret = openSync(import.meta.filename, 'r')
  const stdio: StdioOptions = ['ignore', 'pipe', 'inherit', ...Array<'ignore'>(97).fill('ignore'), secret]
  const parent = spawn(process.execPath, [fileURLToPath(new URL('./parent.testing.ts', import.meta.url))], { stdio })
  closeSync(secret)
  const [line] = (await once(parent.stdout as Readable, 'data')) as [Buffer]
  const pids = JSON.parse(line.toString()) as number[]
  const open = [parent.pid as number, ...pids].map(pid => filesOf(pid).includes(import.meta.filename))
  parent.kill('SIGKILL')
  expect(open).toEqual([true, false, false])
  await untilGone(pids)
})

/** The paths of what a process has open. */
const filesOf = (pid: number): string[] =>
  readdirSync(`/proc/${pid}/fd`).map(fd => readlinkSync(`/proc/${pid}/fd/${fd}`))

test('closing ends the processes, and rejects what runs and waits', async () => {
  const sandbox = open({ processesMax: 1 })
  await run(sandbox, 'javascript', ONE.javascript)
  const pids = sandbox.pids()
  const runs = [run(sandbox, 'javascript', FOREVER.javascript), run(sandbox, 'javascript', ONE.javascript)]
  const settled = Promise.allSettled(runs)
  await sandbox.close()
  expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await untilGone(pids)
})

test('fifty runs of three owners: owners take turns, whoever asks first', async () => {
  const sandbox = open({ processesMax: 1 })
  await run(sandbox, 'javascript', ONE.javascript)
  const order: string[] = []
  const owners = [...Array(40).fill('many'), ...Array(5).fill('some'), ...Array(5).fill('few')] as string[]
  const source = 'const evaluate = value => value'
  const outcomes = await Promise.all(
    owners.map(async (owner, index) => {
      const outcome = await sandbox.run({ owner, runtime: 'javascript', source, arguments: [index] })
      order.push(owner)
      return outcome
    }),
  )
  expect(outcomes).toEqual(owners.map((_, value) => ({ ok: true, value })))
  // Five rounds of three, but for the run that was alone when it came.
  expect(order.slice(0, 16).filter(owner => owner === 'many').length).toBeLessThanOrEqual(6)
  expect(order.slice(0, 16).filter(owner => owner !== 'many')).toHaveLength(10)
})

test('an owner whose code never ends leaves the other processes to others', async () => {
  const sandbox = open({ processesMax: 2 })
  const endless = [1, 2, 3].map(() => run(sandbox, 'javascript', FOREVER.javascript, 'endless'))
  const first = await Promise.race([...endless, run(sandbox, 'javascript', ONE.javascript, 'other')])
  expect(first).toEqual({ ok: true, value: 1 })
  expect(sandbox.pids().length).toBeLessThanOrEqual(3)
  const settled = Promise.allSettled(endless)
  await sandbox.close()
  await settled
})

test('too many waiting runs of an owner are refused, those of another are not', async () => {
  const sandbox = open({ processesMax: 1 })
  const holding = new AbortController()
  const endless: CodeRequest = { owner: 'one', runtime: 'javascript', source: FOREVER.javascript, arguments: [] }
  const held = sandbox.run({ ...endless, signal: holding.signal })
  const waiting = Array.from({ length: SANDBOX_LIMITS.waitingMax }, () =>
    run(sandbox, 'javascript', ONE.javascript, 'one'),
  )
  const refused = run(sandbox, 'javascript', ONE.javascript, 'one')
  await expect(refused).rejects.toMatchObject({
    code: 'overloaded',
    message: 'More than 100 runs of code are waiting.',
  })
  holding.abort(new Error('held long enough'))
  await expect(held).rejects.toThrow('held long enough')
  expect(await run(sandbox, 'javascript', ONE.javascript, 'two')).toEqual({ ok: true, value: 1 })
  expect(await Promise.all(waiting)).toEqual(waiting.map(() => ({ ok: true, value: 1 })))
})

test('aborting ends a run, and takes one that waits out of the queue', async () => {
  const sandbox = open({ processesMax: 1 })
  await run(sandbox, 'javascript', ONE.javascript)
  const controllers = [new AbortController(), new AbortController(), new AbortController()]
  const runs = controllers.map(({ signal }) =>
    sandbox.run({ owner: 'one', runtime: 'javascript', source: FOREVER.javascript, arguments: [], signal }),
  )
  const settled = Promise.allSettled(runs)
  for (const [index, controller] of controllers.entries()) controller.abort(new Error(`given up ${index}`))
  expect((await settled).map(one => (one as PromiseRejectedResult).reason.message)).toEqual([
    'given up 0',
    'given up 1',
    'given up 2',
  ])
  expect(await run(sandbox, 'javascript', ONE.javascript)).toEqual({ ok: true, value: 1 })
})
