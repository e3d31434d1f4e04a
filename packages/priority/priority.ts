import { readdirSync, readFileSync } from 'node:fs'
import { constants, getPriority, setPriority } from 'node:os'

/*
 * Threads that work through batches run behind those that answer requests, which would wait up to 100 ms for a
 * processor of a busy machine otherwise. Linux divides the processors between sessions first (`autogroup` in sched(7)),
 * and priorities count only within one, so child processes must stay in the session of their parent: `spawn` without
 * `detached`.
 */

const BEHIND = constants.priority.PRIORITY_BELOW_NORMAL

/**
 * Lets a child process that has just started run behind threads of normal priority. Its threads get the priority of
 * the thread that starts them.
 */
export const runProcessBehind = (pid: number): void => lower(pid)

/**
 * Lets the calling thread run behind threads of normal priority; only on Linux do threads have priorities of their own.
 */
export function runThreadBehind(): void {
  if (process.platform === 'linux') lower(0)
}

/**
 * Lets the threads in which V8 collects garbage and compiles run behind all other threads of this process. Where they
 * cannot be told apart (only Linux lists them, and Node.js names them so from version 26), they keep their priority.
 */
export function runHelpersBehind(): void {
  if (process.platform !== 'linux') return
  for (const thread of readdirSync('/proc/self/task')) if (nameOf(thread) === 'node-V8Worker') lower(Number(thread))
}

/** Undefined if the thread has ended. */
function nameOf(thread: string): string | undefined {
  try {
    return readFileSync(`/proc/self/task/${thread}/comm`, 'utf8').trimEnd()
  } catch {
    return undefined
  }
}

/**
 * Never raises a priority, which is a privilege. Whatever has ended is left alone, and where the system forbids
 * changing priorities (a sandbox of system calls may), everything works as before, only later on a busy machine.
 */
function lower(id: number): void {
  try {
    if (getPriority(id) < BEHIND) setPriority(id, BEHIND)
  } catch (error) {
    if ((error as { code?: string }).code !== 'ERR_SYSTEM_ERROR') throw error
  }
}
