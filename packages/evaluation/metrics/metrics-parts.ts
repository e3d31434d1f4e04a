import type { Engine } from '@spanhouse/span-store'

/** What metrics are computed with. */
export interface MetricsParts {
  engine: Engine
  /** For how many milliseconds the oldest accepted span has been waiting to be stored; 0 if none is. */
  waitingMs(): Promise<number>
  log: { warn(details: object, message: string): void }
}
