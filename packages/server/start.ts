import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { START_OPTIONS, startEnvironment } from './start/options.ts'
import { ALIVE_EVERY_MS, beatsMissedMax, type Sign } from './start/supervision.ts'

/**
 * `npm start`: runs the program (main.ts) in a child process, and restarts it if it dies. Everything accepted is
 * durable, so a new start continues from there. It exits with the program's code if that stops in order, or fails
 * before it serves requests: a wrong setting does not fix itself.
 *
 * A program that is alive but hangs is killed too: the engine's signal handlers can put a process to sleep that is out
 * of memory. Missed heartbeats are counted by this process's own timer, so time during which both are suspended (a
 * laptop's sleep) does not count.
 */

const MAIN = fileURLToPath(new URL('./main.ts', import.meta.url))

/** The delay before a restart, which grows each time … */
const WAIT_MS = { min: 1_000, max: 30_000 }
/** … until the program has run for this long. */
const GOOD_RUN_MS = 5 * 60_000

// A full disk, or a terminal that is gone, is not a reason to exit.
process.stderr.on('error', () => undefined)

const stopping = new AbortController()
let program: ChildProcess | undefined
// Ctrl-C reaches both processes, and this one twice, from the terminal and from npm.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
  process.on(signal, () => {
    if (!stopping.signal.aborted) program?.kill('SIGTERM')
    stopping.abort()
  })

let waitMs = WAIT_MS.min
for (let starts = 1; ; starts++) {
  const began = performance.now()
  const { code, signal, wasReady, isInOrder } = await run()
  // Asked to stop before it could listen to signals, it is ended by this one.
  if (isInOrder && signal === 'SIGTERM') process.exit(0)
  if (isInOrder || code === 2 || (starts === 1 && !wasReady)) process.exit(code ?? 1)
  if (performance.now() - began > GOOD_RUN_MS) waitMs = WAIT_MS.min
  process.stderr.write(`Spanhouse exited (${signal ?? `code ${code}`}) and restarts in ${waitMs / 1000} s\n`)
  await delay(waitMs, undefined, { signal: stopping.signal }).catch(() => process.exit(0))
  waitMs = Math.min(waitMs * 2, WAIT_MS.max)
}

interface Ending {
  code: number | null
  signal: NodeJS.Signals | null
  /** Whether it has served requests. */
  wasReady: boolean
  /** Whether it was asked to stop. */
  isInOrder: boolean
}

/** Runs the program until it exits or hangs. */
async function run(): Promise<Ending> {
  const child = spawn(process.execPath, [...START_OPTIONS, MAIN, ...process.argv.slice(2)], {
    env: startEnvironment(process.env),
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
  program = child
  const seen = new Set<Sign>()
  let missed = 0
  child.on('message', (sign: Sign) => {
    seen.add(sign)
    missed = 0
  })
  const watch = setInterval(() => {
    missed++
    if (missed <= beatsMissedMax(seen)) return
    clearInterval(watch)
    process.stderr.write(`Spanhouse did not respond for ${(missed * ALIVE_EVERY_MS) / 1000} s and is being killed\n`)
    child.kill('SIGKILL')
  }, ALIVE_EVERY_MS)
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  clearInterval(watch)
  const isInOrder = stopping.signal.aborted || seen.has('stopping')
  return { code, signal, wasReady: seen.has('ready'), isInOrder }
}
