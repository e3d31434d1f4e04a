import { readdirSync, readFileSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'

/*
 * Threads that work through batches run behind those that answer requests, which would wait up to 100 ms for a processor
 * of a busy machine otherwise. Linux divides the processors between sessions first (`autogroup` in sched(7)), and
 * priorities count only within one, so child processes must stay in the session of their parent: `spawn` without
 * `detached`.
 */

const BEHIND = constants.priority.PRIORITY_BELOW_NORMAL

/**
 * Lets a child process that has just started run behind threads of normal priority. Its threads get the priority of
 * the thread that starts them. One that has exited is left alone.
 */
export function runProcessBehind(pid: number): void {
  try {
    lower(pid)
  } catch (error) {
    if ((error as { info?: { code?: string } }).info?.code !== 'ESRCH') throw error
  }
}

/** Lets the calling thread run behind threads of normal priority; only on Linux do threads have priorities of their own. */
export function runThreadBehind(): void {
  if (process.platform === 'linux') lower(0)
}

/**
 * Lets the threads in which V8 collects garbage and compiles run behind all other threads of this process. Where they
 * cannot be told (only Linux lists them, and Node.js names them from version 24), they keep their priority.
 */
export function runHelpersBehind(): void {
  if (process.platform !== 'linux') return
  for (const thread of readdirSync('/proc/self/task'))
    if (readFileSync(`/proc/self/task/${thread}/comm`, 'utf8') === 'V8Worker\n') lower(Number(thread))
}

/** Never raises a priority, which is a privilege. */
function lower(id: number): void {
  if (getPriority(id) < BEHIND) setPriority(id, BEHIND)
}
