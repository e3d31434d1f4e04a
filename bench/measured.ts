/** What a number of spans or rows took. */
export interface Measured {
  perSecond: number
  /** Processor time of this process, the engine in it included. */
  cpuSecondsPerMillion: number
}

/** Measures a function that returns for how many spans or rows it was. */
export async function measured(work: () => Promise<number>): Promise<Measured> {
  const started = performance.now()
  const cpu = process.cpuUsage()
  const count = await work()
  const { user, system } = process.cpuUsage(cpu)
  return {
    perSecond: Math.round(count / ((performance.now() - started) / 1000)),
    cpuSecondsPerMillion: Math.round(((user + system) / count) * 10) / 10,
  }
}
