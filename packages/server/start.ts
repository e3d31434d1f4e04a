import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { ALIVE_EVERY_MS, type Sign } from './supervision.ts'

/*
 * `npm start`: runs the program (main.ts) as a process of its own, and again when it has died. Everything accepted is
 * durable, so a new start goes on from there. It ends with the program's code when that ends in order, or does not get
 * as far as answering requests: a setting that is wrong does not get better by itself.
 *
 * A program that lives and does nothing is ended too: the engine's handlers of signals can put a process to sleep that
 * is out of memory. Beats that stay out are counted by this process' own timer, so the time in which both are stopped
 * (a laptop's sleep) does not count.
 */

const MAIN = new URL('./main.ts', import.meta.url).pathname

/** Smaller young generations and few arenas: large buffers are given back, 100 to 200 MB less are resident. */
const OPTIONS = ['--max-semi-space-size=8']
const ENVIRONMENT = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' }

/** How many beats may stay out: half a minute. No request holds the event loop for anything like it. */
const BEATS_MISSED_MAX = 30
/** Longer than the program takes to end in order, which it sees to itself. */
const STOP_MS = 30_000

/** How long a program that has died stays down, longer each time … */
const WAIT_MS = { min: 1_000, max: 30_000 }
/** … until one has run for so long. */
const GOOD_RUN_MS = 5 * 60_000

const stopping = new AbortController()
let program: ChildProcess | undefined
// Ctrl-C goes to both processes, and twice to this one, from the terminal and from npm.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
  process.on(signal, () => {
    if (!stopping.signal.aborted) program?.kill('SIGTERM')
    stopping.abort()
  })

let waitMs = WAIT_MS.min
for (let starts = 1; ; starts++) {
  const began = performance.now()
  const { code, signal, wasReady, isInOrder } = await run()
  if (isInOrder || code === 2 || (starts === 1 && !wasReady)) process.exit(code ?? 1)
  if (performance.now() - began > GOOD_RUN_MS) waitMs = WAIT_MS.min
  process.stderr.write(`Spanhouse exited (${signal ?? `code ${code}`}) and restarts in ${waitMs / 1000} s\n`)
  await delay(waitMs, undefined, { signal: stopping.signal }).catch(() => process.exit(0))
  waitMs = Math.min(waitMs * 2, WAIT_MS.max)
}

interface Ending {
  code: number | null
  signal: NodeJS.Signals | null
  /** It has answered requests. */
  wasReady: boolean
  /** It was asked to end. */
  isInOrder: boolean
}

/** Runs the program until it ends, or does not live any more. */
async function run(): Promise<Ending> {
  const child = spawn(process.execPath, [...OPTIONS, MAIN, ...process.argv.slice(2)], {
    env: { ...ENVIRONMENT, ...process.env },
    stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  })
  program = child
  const seen = new Set<Sign>()
  let missed = 0
  child.on('message', (sign: Sign) => {
    seen.add(sign)
    missed = 0
  })
  const isInOrder = (): boolean => stopping.signal.aborted || seen.has('stopping')
  const watch = setInterval(() => {
    missed++
    if (missed * ALIVE_EVERY_MS <= (isInOrder() ? STOP_MS : BEATS_MISSED_MAX * ALIVE_EVERY_MS)) return
    process.stderr.write(`Spanhouse did not respond for ${missed} s and is being killed\n`)
    child.kill('SIGKILL')
  }, ALIVE_EVERY_MS)
  const [code, signal] = (await once(child, 'exit')) as [number | null, NodeJS.Signals | null]
  clearInterval(watch)
  return { code, signal, wasReady: seen.has('ready'), isInOrder: isInOrder() }
}
