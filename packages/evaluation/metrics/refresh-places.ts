import { type JsonObject, type Micros, microsToIso, parseTime, type Uuid } from '@spanhouse/model'
import { newId, sql, withoutNuls } from '@spanhouse/postgres'
import type { CellPlaces, MeasuredStep, PlaceKind } from '@spanhouse/query'
import { inTransaction } from '@spanhouse/registry'
import { type PlaceMetrics, readCellMetrics } from '@spanhouse/span-store'
import { type Condition, isAmong } from '../entities/conditions.ts'
import type { MetricsRow } from '../entities/rows.ts'
import { findRow, selectRows } from '../entities/select.ts'
import { upsertRows } from '../entities/write.ts'
import { lockOpenRuns } from '../runs/guard.ts'
import type { Metrics, MetricsPlace, Scope } from '../scope.ts'
import { Batches } from './batches.ts'
import { copyRun } from './copy.ts'
import { measuredStepsOf, type StepMetrics, storeSchemas } from './measured-steps.ts'
import type { MetricsParts } from './metrics-parts.ts'
import { untilStored, untilTracesStored, type Wait } from './until-stored.ts'

/**
 * Metrics computed in ClickHouse from the root spans of the traces that cells refer to. What several callers ask about
 * one run at the same time is computed together: clients refresh scenario by scenario, and most of a statement's time
 * is its analysis.
 */
export function createMetrics(parts: MetricsParts): Metrics {
  const batches = new Batches<MetricsPlace>(PLACES_MAX)
  const update: Metrics['update'] = async (scope, places, signal) => {
    const wait: Wait = { since: performance.now(), signal }
    const isStored = await untilStored(parts, wait)
    for (const group of groupsOf(places)) {
      const { run_id, kind, places: some } = group
      if (signal && !isStored) await untilTracesStored(parts, scope, cellPlaces(scope, group), wait)
      if (signal?.aborted) return
      const key = [scope.project_id, scope.user_id, run_id, kind].join(' ')
      await batches.add(key, some, items =>
        updateGroup(parts, scope, { run_id, kind, places: inWritingOrder(byKey(items)) }),
      )
    }
  }
  return {
    update,
    missed: (error, run_ids) => parts.log.warn({ err: error, run_ids }, 'cannot compute metrics after a change'),
    refresh: async (scope, places) => {
      await update(scope, places)
      return storedRows(scope, places)
    },
  }
}

/** Places of one statement: its time hardly depends on their number. */
const PLACES_MAX = 2_000

/** Rows of one write, some kilobytes each: between two of them others have their turn. */
const WRITTEN_MAX = 500

/** Places of one kind in one run. */
interface Group {
  run_id: Uuid
  kind: PlaceKind
  places: MetricsPlace[]
}

function groupsOf(places: readonly MetricsPlace[]): Group[] {
  const groups = new Map<string, Group[]>()
  for (const place of byKey(places).values()) {
    const kind = kindOf(place)
    const same = groups.get(`${place.run_id} ${kind}`) ?? []
    groups.set(`${place.run_id} ${kind}`, same)
    if ((same.at(-1)?.places.length ?? PLACES_MAX) >= PLACES_MAX) same.push({ run_id: place.run_id, kind, places: [] })
    same.at(-1)?.places.push(place)
  }
  return [...groups.values()].flat()
}

function kindOf({ scenario_id, timestamp }: MetricsPlace): PlaceKind {
  if (scenario_id !== undefined) return 'scenario'
  return timestamp === undefined ? 'run' : 'bucket'
}

const byKey = (places: readonly MetricsPlace[]): Map<string, MetricsPlace> =>
  new Map(places.map(one => [keyOf(one), one]))

/** Rows or places, by {@link keyOf}, in an order in which no two writers wait for each other. */
export const inWritingOrder = <T>(rows: ReadonlyMap<string, T>): T[] =>
  [...rows].toSorted(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row)

/** Where a row of metrics is: of a run, a scenario or a bucket. */
export type Keyed = { run_id: Uuid; scenario_id?: Uuid | null; timestamp?: string | null }

/** Identifies a place. */
export const keyOf = ({ run_id, scenario_id, timestamp }: Keyed): string =>
  `${run_id} ${scenario_id ?? (timestamp ? bucketOf(timestamp) : '')}`

const bucketOf = (timestamp: string): Micros => parseTime(timestamp) as Micros

/** How often a computation is repeated when cells were deleted meanwhile. */
const TRIES_MAX = 3

async function updateGroup(parts: MetricsParts, scope: Scope, group: Group): Promise<void> {
  const run = await findRow(scope, 'runs', group.run_id)
  if (!run) return
  const known = await withKnownBuckets(scope, group)
  const cells = cellPlaces(scope, known)
  const { steps, inferred } = await measuredStepsOf(scope, parts.engine, run)
  await storeSchemas(scope, run.id, inferred)
  for (let tries = 1; ; tries++) {
    const computed = await compute(parts, scope, { cells, steps })
    if (await storeAll(scope, known, { ...computed, isLastTry: tries === TRIES_MAX })) return
  }
}

/** As {@link store}, in parts. */
async function storeAll(scope: Scope, group: Group, computed: Computed & { isLastTry: boolean }): Promise<boolean> {
  for (let from = 0; from < group.places.length; from += WRITTEN_MAX) {
    const places = group.places.slice(from, from + WRITTEN_MAX)
    if (!(await store(scope, { ...group, places }, computed))) return false
  }
  return true
}

/**
 * A bucket that neither a scenario nor a cell is of contributes nothing. Its length is theirs where the caller says
 * nothing.
 */
async function withKnownBuckets(scope: Scope, group: Group): Promise<Group> {
  if (group.kind !== 'bucket') return group
  const times = JSON.stringify(group.places.map(({ timestamp }) => timestamp))
  const at = (table: string) => sql`select t."interval" from ${sql.ref(table)} t
    where t.project_id = ${scope.project_id} and t.run_id = ${group.run_id} and t."timestamp" = x.one::timestamptz`
  const { rows } = await sql<{ timestamp: string; interval: number | null }>`
    select x.one::timestamptz as "timestamp", first."interval" from jsonb_array_elements_text(${times}::jsonb) x(one)
    cross join lateral (${at('evaluation_scenarios')} union all ${at('evaluation_results')} limit 1) first`.execute(
    scope.db,
  )
  const known = new Map(rows.map(({ timestamp, interval }) => [bucketOf(timestamp), interval ?? undefined]))
  const places = group.places.filter(({ timestamp = '' }) => known.has(bucketOf(timestamp)))
  return {
    ...group,
    places: places.map(place => ({ ...place, interval: place.interval ?? known.get(bucketOf(place.timestamp ?? '')) })),
  }
}

function cellPlaces({ project_id }: Scope, { run_id, kind, places }: Group): CellPlaces {
  const among = places.flatMap(({ scenario_id, timestamp }) => scenario_id ?? (timestamp ? bucketOf(timestamp) : []))
  return { project_id, run_id, kind, among }
}

interface Computed {
  /** Larger than that of any computation that was begun earlier. */
  computation: number
  /** All transactions below were visible. */
  horizon: number
  steps: readonly StepMetrics[]
  /** By the key of the place in ClickHouse's rows. */
  metrics: Map<string, PlaceMetrics>
}

async function compute(
  { engine }: MetricsParts,
  scope: Scope,
  { cells, steps }: { cells: CellPlaces; steps: readonly StepMetrics[] },
): Promise<Computed> {
  const { rows } = await sql<{ computation: number }>`
    select nextval('evaluation_computations') as computation`.execute(scope.db)
  const horizon = await copyRun({ db: scope.db, engine }, { project_id: cells.project_id, id: cells.run_id })
  const measured = steps.map(({ step, leaves }): MeasuredStep => ({ key: step.key, measures: leaves }))
  const metrics = await readCellMetrics(engine, cells, measured)
  return { computation: rows[0]?.computation as number, horizon, steps, metrics }
}

/**
 * Stores what was computed, unless a computation that was begun later is stored. False if cells were deleted meanwhile,
 * whose metrics may already have been deleted with them.
 */
function store(
  scope: Scope,
  { run_id, places }: Group,
  { computation, horizon, steps, metrics, isLastTry }: Computed & { isLastTry: boolean },
): Promise<boolean> {
  return inTransaction(scope, async inside => {
    const guarded = places.map(({ scenario_id }) => ({ run_id, ...(scenario_id && { scenario_id }) }))
    const runs = await lockOpenRuns(inside, guarded, 'share')
    if (!runs.has(run_id)) return true
    if (!isLastTry && (await someWereDeleted(inside, run_id, horizon))) return false
    const rows = places.flatMap(place => {
      const found = metrics.get(placeKey(place))
      return found
        ? [{ ...place, id: newId(), status: 'success', data: withoutNuls(dataOf(steps, found)), computation }]
        : []
    })
    await upsertRows<Keyed & { id: Uuid }>(inside, 'metrics', {
      columns: ['id', 'run_id', 'scenario_id', 'timestamp', 'interval', 'status', 'data', 'computation'],
      rows: await withScenarios(inside, rows),
      key: ['run_id', 'scenario_id', 'timestamp'],
      keyOf,
      overwritten: OVERWRITTEN,
      where: sql`t.computation is null or t.computation < excluded.computation`,
    })
    return true
  })
}

const OVERWRITTEN = ['interval', 'status', 'data', 'computation']

/** The key of a place in ClickHouse's rows. */
const placeKey = ({ scenario_id, timestamp }: MetricsPlace): string =>
  scenario_id ?? (timestamp ? String(bucketOf(timestamp)) : '')

async function someWereDeleted({ db, project_id }: Scope, run_id: Uuid, horizon: number): Promise<boolean> {
  const { rows } = await sql`select from evaluation_deletions t where t.project_id = ${project_id}
    and t.run_id = ${run_id} and t.changed_in >= ${String(horizon)}::text::xid8 limit 1`.execute(db)
  return rows.length > 0
}

/** Without the rows of scenarios that were deleted meanwhile. */
async function withScenarios<Row extends MetricsPlace>(scope: Scope, rows: readonly Row[]): Promise<Row[]> {
  const ids = rows.flatMap(({ scenario_id }) => scenario_id ?? [])
  if (ids.length === 0) return [...rows]
  const { rows: there } = await sql<{ id: Uuid }>`select s.id from evaluation_scenarios s
    where s.project_id = ${scope.project_id} and s.id in (
      select one::uuid from jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb) one)
    order by s.id for key share`.execute(scope.db)
  const known = new Set(there.map(({ id }) => id))
  return rows.filter(({ scenario_id }) => scenario_id === undefined || known.has(scenario_id))
}

/** Steps in their order; a measure without a value is left out. */
const dataOf = (steps: readonly StepMetrics[], { steps: found }: PlaceMetrics): JsonObject =>
  Object.fromEntries(
    steps.flatMap(({ step, leaves }) => {
      const values = found.get(step.key)
      if (!values) return []
      const shown = leaves.map(({ path }, index) => [`attributes.${path.join('.')}`, values[index]] as const)
      return [[step.key, Object.fromEntries(shown.filter(([, value]) => value !== undefined)) as JsonObject]]
    }),
  )

/**
 * The stored rows at the places, in order, and in place of missing ones rows that are not stored. A bucket that neither
 * a scenario nor a cell is of has none.
 */
async function storedRows(scope: Scope, places: readonly MetricsPlace[]): Promise<MetricsRow[]> {
  const rows = new Map<string, MetricsRow>()
  for (const group of groupsOf(places)) {
    const known = await withKnownBuckets(scope, group)
    for (const row of await rowsAt(scope, known)) rows.set(keyOf(row), row)
    for (const place of known.places) if (!rows.has(keyOf(place))) rows.set(keyOf(place), pendingRow(place))
  }
  return places.flatMap(place => rows.get(keyOf(place)) ?? [])
}

function rowsAt(scope: Scope, { run_id, kind, places }: Group): Promise<MetricsRow[]> {
  const at: Record<PlaceKind, () => Condition> = {
    run: () => sql`t.scenario_id is null and t."timestamp" is null`,
    scenario: () =>
      isAmong(
        'scenario_id',
        places.map(({ scenario_id }) => scenario_id),
        'uuid',
      ),
    bucket: () =>
      isAmong(
        'timestamp',
        places.map(({ timestamp }) => timestamp),
        'timestamptz',
      ),
  }
  return selectRows(scope, 'metrics', { where: [sql`t.run_id = ${run_id}`, at[kind]()] })
}

function pendingRow({ run_id, scenario_id, timestamp, interval }: MetricsPlace): MetricsRow {
  const start = timestamp && microsToIso(bucketOf(timestamp))
  return { run_id, scenario_id, timestamp: start, interval, status: 'pending', data: {} } as unknown as MetricsRow
}
