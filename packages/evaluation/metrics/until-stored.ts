import { setTimeout as delay } from 'node:timers/promises'
import type { CellPlaces } from '@spanhouse/query'
import { countMissingTraces } from '@spanhouse/span-store'
import { findRow } from '../entities/select.ts'
import { stepsOf } from '../runs/run-data.ts'
import type { Scope } from '../scope.ts'
import { copyRun } from './copy.ts'
import type { MetricsParts } from './metrics-parts.ts'

/** How long everybody waits for the stream, and how often it is looked at. */
const STREAM_MS_MAX = 4_000
const LOOK_EVERY_MS = 50
/** From one look for traces to the next. Each is a statement, so the pauses grow. */
const PAUSE_MS_MIN = 500
const PAUSE_MS_MAX = 10_000
/** A message that can neither be stored nor moved to the dead letters, which are full, stays in the stream for ever. */
const TRACES_MS_MAX = 10 * 60_000

/** A wait that has begun at `since`, as `performance.now()` says. */
export interface Wait {
  since: number
  signal?: AbortSignal
}

const waited = ({ since }: Wait): number => performance.now() - since

const hasStored = async ({ waitingMs }: MetricsParts, wait: Wait): Promise<boolean> =>
  (await waitingMs()) <= waited(wait)

/**
 * Waits some seconds until everything is stored that was accepted before, however much arrives meanwhile: clients
 * refresh right after their last trace was accepted. Whether it is.
 */
export async function untilStored(parts: MetricsParts, wait: Wait): Promise<boolean> {
  while (!wait.signal?.aborted) {
    if (await hasStored(parts, wait)) return true
    if (waited(wait) >= STREAM_MS_MAX) break
    await delay(LOOK_EVERY_MS)
  }
  return false
}

/**
 * Waits until the traces of these cells are stored, whatever else of this project or others is in the stream. If they
 * are not after ten minutes, the metrics are computed without them.
 */
export async function untilTracesStored(
  parts: MetricsParts,
  scope: Scope,
  cells: CellPlaces,
  wait: Wait,
): Promise<void> {
  const { engine, log } = parts
  const { project_id, run_id } = cells
  const run = await findRow(scope, 'runs', run_id)
  const keys = (run ? stepsOf(run) : []).flatMap(({ key, type }) => (type === 'input' ? [] : [key]))
  if (keys.length === 0) return
  await copyRun({ db: scope.db, engine }, { project_id, id: run_id })
  for (let pauseMs = PAUSE_MS_MIN; !wait.signal?.aborted; pauseMs = Math.min(2 * pauseMs, PAUSE_MS_MAX)) {
    if (await hasStored(parts, wait)) return
    const missing = await countMissingTraces(engine, cells, keys)
    if (missing === 0) return
    if (waited(wait) >= TRACES_MS_MAX) {
      log.warn({ run_id, missing }, 'traces of an evaluation are not stored; its metrics are computed without them')
      return
    }
    await delay(pauseMs, undefined, { signal: wait.signal }).catch(() => {})
  }
}
