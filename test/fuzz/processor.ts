import { existsSync, readdirSync, readFileSync } from 'node:fs'

/** Of `/proc/PID/stat`, which is in hundredths of a second. */
const TICK_MS = 10

/** Processor time in milliseconds. */
export interface Processor {
  /** Of this process: making requests and judging answers. */
  fuzzer: number
  /**
   * Of all processes that it has started, and those that they have started: the installation, its stores, the watcher.
   */
  installation: number
}

/** Processor time since the start of each process; of those that are gone, if their parent has waited for them. */
export function processorTime(): Processor {
  const { user, system } = process.cpuUsage()
  const installation = childrenOf(process.pid).reduce((sum, child) => sum + ticksBelow(child), 0) * TICK_MS
  return { fuzzer: (user + system) / 1000, installation }
}

function ticksBelow(pid: string): number {
  // The name in brackets may contain blanks. Then fields 3 …; 14 to 17 are its own and its former children's time.
  const fields = readIfThere(`/proc/${pid}/stat`).split(') ').at(-1)?.split(' ') ?? []
  const own = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0)
  return childrenOf(pid).reduce((sum, child) => sum + ticksBelow(child), own)
}

/** Any thread may have started them. */
function childrenOf(pid: number | string): string[] {
  const threads = existsSync(`/proc/${pid}/task`) ? readdirSync(`/proc/${pid}/task`) : []
  return threads.flatMap(thread => readIfThere(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean))
}

/** Empty when the process is no more, and where the system has no such file. */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
