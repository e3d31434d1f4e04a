import { setTimeout as delay } from 'node:timers/promises'

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

export const rounded = (value: number, digits = 2): number => Number(value.toFixed(digits))

/** The value that is above a share of the values: 0.5 is the median, 1 the greatest. */
export const quantile = (values: readonly number[], share: number): number =>
  values.toSorted((one, other) => one - other)[Math.min(values.length - 1, Math.floor(values.length * share))] as number

/** The upper one of the two in the middle. */
export const median = (values: readonly number[]): number => quantile(values, 0.5)

const WAIT_MS = 180_000

/** Resolves when the condition holds; rejects after three minutes. */
export async function until(condition: () => boolean | Promise<boolean>, everyMs = 100): Promise<void> {
  const end = performance.now() + WAIT_MS
  while (!(await condition())) {
    if (performance.now() > end) throw new Error(`the condition did not hold within ${WAIT_MS / 1000} s`)
    await delay(everyMs)
  }
}
