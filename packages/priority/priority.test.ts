import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { afterEach, describe, expect, test } from 'vitest'
import { runProcessBehind } from './index.ts'

const MODULE = new URL('./index.ts', import.meta.url).href

const children: ChildProcess[] = []
afterEach(() => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
})

/** A process that evaluates this and then waits. */
async function started(source: string): Promise<number> {
  const program = `${source}; console.log('ready'); setInterval(() => {}, 1000)`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', program], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  await once(child.stdout, 'data')
  return child.pid as number
}

/** The priorities of its threads with this name. */
function prioritiesOf(pid: number, name: string): number[] {
  const threads = readdirSync(`/proc/${pid}/task`).map(Number)
  return threads
    .filter(thread => readFileSync(`/proc/${pid}/task/${thread}/comm`, 'utf8') === `${name}\n`)
    .map(getPriority)
}

test('a process runs behind this one, and one that has exited is left alone', async () => {
  const pid = await started('')
  runProcessBehind(pid)
  expect(getPriority(pid)).toBe(10)
  runProcessBehind(4_194_304)
})

test('a priority that is lower already stays', async () => {
  const pid = await started(`import { setPriority } from 'node:os'; setPriority(15)`)
  runProcessBehind(pid)
  expect(getPriority(pid)).toBe(15)
})

describe.runIf(process.platform === 'linux')('threads', () => {
  test('a thread runs behind the one that started it', async () => {
    const thread = `import { runThreadBehind } from ${JSON.stringify(MODULE)}
      import { parentPort } from 'node:worker_threads'
      runThreadBehind(); parentPort.postMessage(''); setInterval(() => {}, 1000)`
    const url = `data:text/javascript,${encodeURIComponent(thread)}`
    const pid = await started(`import { once } from 'node:events'; import { Worker } from 'node:worker_threads'
      await once(new Worker(new URL(${JSON.stringify(url)})), 'message')`)
    expect([getPriority(pid), ...prioritiesOf(pid, 'WorkerThread')]).toEqual([getPriority(), 10])
  })

  test("V8's helpers run behind", async () => {
    const pid = await started(`import { runHelpersBehind } from ${JSON.stringify(MODULE)}; runHelpersBehind()`)
    expect(getPriority(pid)).toBe(getPriority())
    expect(new Set(prioritiesOf(pid, 'node-V8Worker'))).toEqual(new Set([10]))
  })
})
