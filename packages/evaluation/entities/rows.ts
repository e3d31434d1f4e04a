import type { JsonObject, Uuid } from '@spanhouse/model'
import type { RunFlags } from '../runs/flags.ts'
import type { RunData } from '../runs/run-data.ts'
import type { Status } from './fields.ts'

/** What all entities have. Times are ISO 8601 text in UTC. */
export interface EntityRow {
  id: Uuid
  status: Status
  created_at: string
  updated_at: string | null
  created_by_id: Uuid | null
  updated_by_id: Uuid | null
  tags: JsonObject | null
  meta: JsonObject | null
}

export interface RunRow extends EntityRow {
  name: string | null
  description: string | null
  flags: RunFlags
  data: RunData | null
}

/** What belongs to a run. */
export interface OwnedRow extends EntityRow {
  run_id: Uuid
}

export interface ScenarioRow extends OwnedRow {
  flags: RunFlags | null
  interval: number | null
  timestamp: string | null
}

export interface ResultRow extends OwnedRow {
  scenario_id: Uuid
  step_key: string
  repeat_idx: number
  trace_id: Uuid | null
  testcase_id: Uuid | null
  hash_id: Uuid | null
  error: JsonObject | null
  interval: number | null
  timestamp: string | null
  flags: JsonObject | null
}

export interface MetricsRow extends OwnedRow {
  scenario_id: Uuid | null
  timestamp: string | null
  interval: number | null
  data: JsonObject | null
  flags: JsonObject | null
}

export interface QueueRow extends OwnedRow {
  name: string | null
  description: string | null
  flags: { is_sequential: boolean; is_default: boolean }
  data: QueueData
  deleted_at: string | null
}

export interface QueueData {
  /** Outer index: the repeat; inner: its assignees. */
  user_ids?: Uuid[][]
  scenario_ids?: Uuid[]
  step_keys?: string[]
  batch_size?: number
  batch_offset?: number
}

export interface RowOf {
  runs: RunRow
  scenarios: ScenarioRow
  results: ResultRow
  metrics: MetricsRow
  queues: QueueRow
}
export type EntityName = keyof RowOf
