import { readFileSync } from 'node:fs'

/**
 * How long the main thread of a process has waited for a processor so far, in milliseconds. 0 if the process is gone, or
 * where the system does not say (`/proc/PID/schedstat` of Linux).
 */
export function waitedMs(pid: number | undefined): number {
  try {
    const [, nanoseconds] = readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ')
    return Number(nanoseconds) / 1e6
  } catch {
    return 0
  }
}
