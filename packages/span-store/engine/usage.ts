import { AsyncLocalStorage } from 'node:async_hooks'
import { parseJson } from '@spanhouse/model'

/** What the reads of one piece of work took. */
export class Usage {
  statements = 0
  /** Waiting for one of the engine's connections. */
  queueMs = 0
  /** From sending the statements to the last byte of their results. */
  waitMs = 0
  /** Of that, the time that ClickHouse itself measured. */
  engineMs = 0
  /**
   * The time in which there was any statement, waiting or sent: less than the sum of the others where several are at
   * once.
   */
  busyMs = 0
  /** What ClickHouse read, before compression. */
  rows = 0
  bytes = 0
  #statementsNow = 0
  #busySince = 0

  /** A statement is asked for. */
  begin(): void {
    if (this.#statementsNow++ === 0) this.#busySince = performance.now()
  }

  /** It is answered, or given up. */
  end(): void {
    if (--this.#statementsNow === 0) this.busyMs += performance.now() - this.#busySince
  }

  addStatement({ queueMs, waitMs }: { queueMs: number; waitMs: number }): void {
    this.statements++
    this.queueMs += queueMs
    this.waitMs += waitMs
  }

  /** Adds the summary that ClickHouse sends with a result, as JSON text. */
  addSummary(summary: string): void {
    const { read_rows, read_bytes, elapsed_ns } = parseJson(summary) as Record<string, string | undefined>
    this.rows += Number(read_rows ?? 0)
    this.bytes += Number(read_bytes ?? 0)
    this.engineMs += Number(elapsed_ns ?? 0) / 1e6
  }
}

const usages = new AsyncLocalStorage<Usage>()

/** Runs work whose reads are counted. */
export const metered = <T>(usage: Usage, work: () => T): T => usages.run(usage, work)

/** Counts the reads of the work that the caller is part of. */
export const currentUsage = (): Usage | undefined => usages.getStore()
