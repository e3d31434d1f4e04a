import { setTimeout as delay } from 'node:timers/promises'
import { Problem, type Uuid } from '@spanhouse/model'
import { sql } from '@spanhouse/postgres'
import { inTransaction } from '@spanhouse/registry'
import type { RunRow } from '../entities/rows.ts'
import { type NewResult, upsertCells } from '../grid/results.ts'
import { lockOpenRun } from '../runs/guard.ts'
import { rollUpScenarios } from '../runs/roll-up.ts'
import { repeatsOf, stepsOf } from '../runs/run-data.ts'
import type { MetricsPlace, Scope } from '../scope.ts'
import type { EngineParts } from './doors.ts'
import { measure } from './measure.ts'
import type { Membership } from './membership.ts'

/** Cells that come within so short a time are written together. */
const GATHER_MS = 20
/**
 * From one write to the next while they keep coming: a transaction of ten cells takes little longer than that of one.
 */
const WRITE_EVERY_MS = 100
/** Cells of one transaction, so that others have their turn. */
const CELLS_MAX = 2_000
/** Scenarios whose metrics are computed together. */
const MEASURED_MAX = 2_000
/**
 * From one computation of metrics to the next, at least: each takes as long as that of some hundred scenarios, whatever
 * it computes.
 */
const MEASURE_EVERY_MS = 1_000
/**
 * The share of its time that a worker computes metrics for, so that many workers of a run do not keep ClickHouse busy.
 */
const MEASURE_SHARE = 0.1
/** A reader sees statuses after metrics, so they do not wait longer. */
const MEASURE_EVERY_MS_MAX = 4_000
/** How long a failed write waits before it is repeated. */
const RETRY_MS = 500

/** A scenario whose cells have been added. */
export interface Done {
  id: Uuid
  user_id: Uuid | null
  timestamp: string | null
  interval: number | null
}

/**
 * Writes what a worker finishes of one run, many cells and scenarios in one statement each. A reader sees the cells of
 * a scenario first, then its metrics, then its status. What belongs to scenarios that the worker no longer holds is
 * dropped. While the database is away, everything waits here; the worker claims no more meanwhile.
 */
export class GridWriter {
  readonly #parts: EngineParts
  readonly #membership: Membership
  readonly #signal: AbortSignal
  /** Called when the run is gone or closed: nothing more can be written. */
  readonly #onLost: () => void
  #cells: { cell: NewResult; user_id: Uuid | null }[] = []
  #done: Done[] = []
  #measuring: Done[] = []
  #finishing: Done[] = []
  #isWriting = false
  /** When the next write may begin. */
  #writeAt = 0
  #isMeasuring = false
  /** When metrics may be computed again; at the end they are at once. */
  #measureAt = 0
  #isEnding = false
  #waiting = 0

  constructor(parts: EngineParts, membership: Membership, { signal, onLost }: { signal: AbortSignal; onLost(): void }) {
    this.#parts = parts
    this.#membership = membership
    this.#signal = signal
    this.#onLost = onLost
  }

  /** Cells and scenarios that are not written yet. */
  get waiting(): number {
    return this.#waiting
  }

  add(cell: NewResult, user_id: Uuid | null): void {
    this.#cells.push({ cell, user_id })
    this.#waiting++
    this.#wake()
  }

  /** All cells of the scenario have been added. */
  finish(done: Done): void {
    this.#done.push(done)
    this.#waiting++
    this.#wake()
  }

  /** Nothing more is added. Resolves when everything is written, or the signal aborts. */
  async settled(): Promise<void> {
    this.#isEnding = true
    while (this.#waiting > 0 && !this.#signal.aborted) await delay(GATHER_MS)
  }

  #wake(): void {
    if (this.#isWriting) return
    this.#isWriting = true
    void this.#writeAll()
  }

  async #writeAll(): Promise<void> {
    do {
      await this.#gather()
      await this.#writeSome()
    } while (this.#cells.length + this.#done.length + this.#finishing.length > 0 && !this.#signal.aborted)
    // Nothing is awaited between the last look and this, so what is added later starts a new round.
    this.#isWriting = false
  }

  /** Waits for what can be written together. At the end nothing more comes. */
  async #gather(): Promise<void> {
    await delay(GATHER_MS)
    while (!this.#isEnding && performance.now() < this.#writeAt) await delay(GATHER_MS)
    this.#writeAt = performance.now() + WRITE_EVERY_MS
  }

  async #writeSome(): Promise<void> {
    const cells = this.#cells.splice(0, CELLS_MAX)
    // All cells of a scenario were added before it, so its last ones are in this transaction at the latest.
    const done = this.#cells.length === 0 ? this.#done.splice(0) : []
    const isMeasured = this.#parts.metrics !== undefined
    const finishing = [...this.#finishing.splice(0, CELLS_MAX), ...(isMeasured ? [] : done)]
    if (!(await this.#untilWritten(cells, finishing))) return
    this.#waiting -= cells.length + finishing.length
    if (done.length === 0 || !isMeasured) return
    this.#measuring.push(...done)
    if (!this.#isMeasuring) {
      this.#isMeasuring = true
      void this.#measureAll()
    }
  }

  async #untilWritten(cells: { cell: NewResult; user_id: Uuid | null }[], finishing: Done[]): Promise<boolean> {
    while (!this.#signal.aborted)
      try {
        if (await this.#write(cells, finishing)) return true
        this.#onLost()
        return false
      } catch (error) {
        if (error instanceof Problem && error.code === 'conflict') {
          this.#onLost()
          return false
        }
        this.#parts.log.warn({ err: error, run_id: this.#membership.run_id }, 'cells are not written yet; trying again')
        await delay(RETRY_MS)
      }
    return false
  }

  /** False when the run is gone. Throws a Problem `conflict` when it is closed. */
  #write(cells: { cell: NewResult; user_id: Uuid | null }[], finishing: Done[]): Promise<boolean> {
    const { db, runtime } = this.#parts
    const { project_id, run_id } = this.#membership
    return inTransaction({ db, runtime, project_id, user_id: null } as Scope, async scope => {
      const run = await lockOpenRun(scope, run_id, 'share')
      if (!run) return false
      const ids = [...cells.map(({ cell }) => cell.scenario_id), ...finishing.map(({ id }) => id)]
      const held = await this.#hold(scope, [...new Set(ids)])
      const written = cells.filter(({ cell }) => held.has(cell.scenario_id) && isInGrid(run, cell))
      for (const [user_id, group] of Map.groupBy(written, one => one.user_id))
        await upsertCells(
          { ...scope, user_id },
          group.map(({ cell }) => cell),
        )
      for (const [user_id, group] of Map.groupBy(finishing, one => one.user_id))
        await this.#finish(
          { ...scope, user_id },
          run,
          group.flatMap(({ id }) => (held.has(id) ? [id] : [])),
        )
      return true
    })
  }

  /** The scenarios that this worker has claimed, locked until the transaction ends. */
  async #hold({ db, project_id }: Scope, ids: readonly Uuid[]): Promise<Set<Uuid>> {
    const { rows } = await sql<{ id: Uuid }>`select t.id from evaluation_scenarios t
      where t.project_id = ${project_id} and t.id = any(${ids}::uuid[])
        and t.claimed_by = ${this.#membership.worker_id} order by t.id for no key update`.execute(db)
    return new Set(rows.map(({ id }) => id))
  }

  /** Takes the first task of scenarios away, which is carried out, and lets their statuses follow. */
  async #finish(scope: Scope, run: RunRow, ids: readonly Uuid[]): Promise<void> {
    await sql`update evaluation_scenarios t set work = nullif(t.work - 0, '[]'), claimed_by = null
      where t.project_id = ${scope.project_id} and t.id = any(${ids}::uuid[])`.execute(scope.db)
    await rollUpScenarios(scope, run, ids)
  }

  async #measureAll(): Promise<void> {
    while (this.#measuring.length > 0 && !this.#signal.aborted) {
      while (!this.#isEnding && performance.now() < this.#measureAt) await delay(GATHER_MS)
      const began = performance.now()
      const measured = this.#measuring.splice(0, MEASURED_MAX)
      for (const [user_id, group] of Map.groupBy(measured, one => one.user_id)) await this.#measureSome(group, user_id)
      const rest = (performance.now() - began) / MEASURE_SHARE
      this.#measureAt = began + Math.min(MEASURE_EVERY_MS_MAX, Math.max(MEASURE_EVERY_MS, rest))
      this.#finishing.push(...measured)
      this.#wake()
    }
    this.#isMeasuring = false
  }

  #measureSome(done: readonly Done[], user_id: Uuid | null): Promise<void> {
    const { run_id } = this.#membership
    const places = done.map(({ id }): MetricsPlace => ({ run_id, scenario_id: id }))
    const buckets = new Map(
      done.flatMap(({ timestamp, interval }) => (timestamp === null ? [] : [[timestamp, interval ?? undefined]])),
    )
    for (const [timestamp, interval] of buckets) places.push({ run_id, timestamp, interval })
    return measure(this.#parts, this.#membership, { places, user_id, signal: this.#signal })
  }
}

/** Steps may have been removed, and repeats lowered, since the scenario was planned. */
const isInGrid = (run: RunRow, { step_key, repeat_idx }: NewResult): boolean =>
  repeat_idx < repeatsOf(run) && stepsOf(run).some(({ key }) => key === step_key)
