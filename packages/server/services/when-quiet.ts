/** How long the process must have used little processor time. */
const QUIET_MS = 10_000

/** The share of one core, and of the event loop's time, that counts as little. */
const SHARE_MAX = 0.25

/**
 * Calls `work` once, after the process and its threads have been almost idle for ten seconds. For work that takes
 * seconds of processor time and that no request waits for yet. A process that does not get the processor is not idle:
 * it uses little of it, but its event loop is busy. Returns a function that cancels it.
 */
export function whenQuiet(work: () => unknown): () => void {
  let lastCpu = process.cpuUsage()
  let lastLoop = performance.eventLoopUtilization()
  const look = (): void => {
    const { user, system } = process.cpuUsage(lastCpu)
    const { utilization } = performance.eventLoopUtilization(lastLoop)
    lastCpu = process.cpuUsage()
    lastLoop = performance.eventLoopUtilization()
    if ((user + system) / 1000 > QUIET_MS * SHARE_MAX || utilization > SHARE_MAX) return
    clearInterval(timer)
    work()
  }
  const timer = setInterval(look, QUIET_MS).unref()
  return () => clearInterval(timer)
}
