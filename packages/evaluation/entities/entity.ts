import type { EntityName } from './rows.ts'

/** What tells an entity from the others: how it is stored, listed and called in bodies. */
export interface Entity {
  /** As in the keys of bodies. */
  name: string
  plural: EntityName
  /** The keys under which ids are sent and answered. */
  id: string
  ids: string
  table: string
  /** The columns that are read and shown, in the order in which they are shown. */
  columns: readonly string[]
  order: 'ascending' | 'descending'
  /** Whether a page that is full says how to go on even when nothing follows. */
  fullPageGoesOn: boolean
}

const DATED = ['created_at', 'updated_at', 'created_by_id', 'updated_by_id']
const LABELS = ['flags', 'tags', 'meta']
const BUCKET = ['interval', 'timestamp']

const row = (name: string, plural: EntityName, more: Omit<Entity, 'name' | 'plural' | 'id' | 'ids' | 'table'>) => ({
  name,
  plural,
  id: `${name}_id`,
  ids: `${name}_ids`,
  table: `evaluation_${plural}`,
  ...more,
})

/** The five entities. */
export const ENTITIES: Record<EntityName, Entity> = {
  runs: row('run', 'runs', {
    columns: ['id', ...DATED, 'name', 'description', ...LABELS, 'status', 'data'],
    order: 'descending',
    fullPageGoesOn: true,
  }),
  scenarios: row('scenario', 'scenarios', {
    columns: ['id', ...DATED, ...LABELS, 'status', ...BUCKET, 'run_id'],
    order: 'ascending',
    fullPageGoesOn: false,
  }),
  results: row('result', 'results', {
    columns: [
      'id',
      ...DATED,
      ...LABELS,
      'status',
      ...BUCKET,
      'run_id',
      'scenario_id',
      'step_key',
      'repeat_idx',
      'trace_id',
      'testcase_id',
      'hash_id',
      'error',
    ],
    order: 'ascending',
    fullPageGoesOn: false,
  }),
  metrics: row('metrics', 'metrics', {
    columns: ['id', ...DATED, ...LABELS, 'status', ...BUCKET, 'run_id', 'scenario_id', 'data'],
    order: 'descending',
    fullPageGoesOn: false,
  }),
  queues: row('queue', 'queues', {
    columns: [
      'id',
      ...DATED,
      'deleted_at',
      'deleted_by_id',
      'name',
      'description',
      ...LABELS,
      'status',
      'run_id',
      'data',
    ],
    order: 'descending',
    fullPageGoesOn: false,
  }),
}
