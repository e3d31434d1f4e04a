/** How long the process must have used little processor time. */
const QUIET_MS = 10_000

/** The share of one core that counts as little. */
const CPU_SHARE_MAX = 0.25

/**
 * Calls `work` once, after the process and its threads have been almost idle for ten seconds. For work that takes
 * seconds of processor time and that no request waits for yet. Returns a function that cancels it.
 */
export function whenQuiet(work: () => void): () => void {
  let last = process.cpuUsage()
  const look = (): void => {
    const { user, system } = process.cpuUsage(last)
    last = process.cpuUsage()
    if ((user + system) / 1000 > QUIET_MS * CPU_SHARE_MAX) return
    clearInterval(timer)
    work()
  }
  const timer = setInterval(look, QUIET_MS).unref()
  return () => clearInterval(timer)
}
