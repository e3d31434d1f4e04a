import { invalid, type Json, type JsonObject, parseTraceId, type TraceId, type Uuid } from '@spanhouse/model'
import { sql, toJsonb } from '@spanhouse/postgres'
import type { CellContent } from '@spanhouse/query'
import { type Engine, readCellContents, readScoredScenarios } from '@spanhouse/span-store'
import { list, optional, uuid, z } from '@spanhouse/validation'
import { scoreName } from '../comparison/scores.ts'
import { type Condition, isAmong } from '../entities/conditions.ts'
import { type Status, status } from '../entities/fields.ts'
import type { RunRow } from '../entities/rows.ts'
import { stepsOf } from '../runs/run-data.ts'
import type { Scope } from '../scope.ts'
import { contentOf } from './cell-content.ts'
import { hasFailedFor } from './failures.ts'
import { requiredRunScore } from './score-summaries.ts'

/** Cases of one page. */
export const RUN_CASES_MAX = 200
const RUN_CASES_DEFAULT = 50
/** Cells of a case that are shown: those of so many repeats. */
export const SHOWN_REPEATS_MAX = 20

/** A page of the table of a run. */
export const runCases = z.object({
  scenario_ids: optional(list(uuid, { max: 1_000 })),
  status: optional(status),
  failure: optional(z.object({ step_key: z.string(), reason: z.string() })),
  /** Cases with a value of this score: any, one, or those from `min` up to, but without, `max`. */
  score: optional(
    z.object({
      ...scoreName.shape,
      value: optional(z.union([z.number(), z.boolean(), z.string()])),
      min: optional(z.number()),
      max: optional(z.number()),
    }),
  ),
  /** By default in the order in which the cases were added. Those without a value come last. */
  order_by: optional(z.object({ ...scoreName.shape, is_descending: optional(z.boolean()) })),
  /** Of cases that no score orders the one that was added last comes first. */
  is_newest_first: optional(z.boolean()),
  /** Without cases that were added after this scenario: pages of a run that grows stay as they are. */
  until: optional(uuid),
  offset: optional(z.int().min(0)),
  limit: optional(z.int().min(0).max(RUN_CASES_MAX)),
})
export type RunCasesQuery = z.output<typeof runCases>

/** A cell of a case, with what its trace contains. */
export interface CaseCell extends JsonObject {
  step_key: string
  repeat_idx: number
  status: Status
}

export interface RunCase {
  scenario_id: Uuid
  status: Status
  testcase_id?: Uuid
  cells: CaseCell[]
}

/** A page of cases, and how many there are in all. */
export interface RunCasesPage {
  total: number
  /** How many more there are that were added after `until`. */
  newer?: number
  cases: RunCase[]
}

/**
 * Reads a page of the table of a run. Throws a 400 for a score that the run does not have, or whose values are of
 * another type.
 */
export async function readRunCases(
  scope: Scope,
  engine: Engine,
  { run, query }: { run: RunRow; query: RunCasesQuery },
): Promise<RunCasesPage> {
  const conditions: Condition[] = [sql`s.project_id = ${scope.project_id}`, sql`s.run_id = ${run.id}`]
  const { scenario_ids, failure, score, order_by } = query
  if (scenario_ids) conditions.push(isAmongIds(scenario_ids))
  if (query.status) conditions.push(sql`s.status = ${query.status}`)
  if (failure) conditions.push(hasFailedFor(failure))
  const scored = (name: ScoredQuery['score'], isDescending = false): Promise<Uuid[]> =>
    readScored(scope, engine, { run, score: name, isDescending })
  if (score) conditions.push(isAmongIds(await scored(score)))
  const ordered = order_by ? await scored(order_by, order_by.is_descending) : []
  const { until } = query
  const shown = until === undefined ? conditions : [...conditions, sql`s.id <= ${until}::uuid`]
  const page = await readPage(scope, { conditions: shown, ordered, query })
  // A page past the end has no row that says it.
  const total = page[0]?.total ?? (await countOf(scope, shown))
  const newer = until === undefined ? {} : { newer: (await countOf(scope, conditions)) - total }
  return { total, ...newer, cases: await withCells(scope, engine, { run, rows: page }) }
}

const isAmongIds = (ids: readonly Uuid[]): Condition => sql`s.id in (
  select one::uuid from jsonb_array_elements_text(${toJsonb([...ids])}::jsonb) one)`

type SoughtScore = NonNullable<RunCasesQuery['score']>

interface ScoredQuery {
  run: RunRow
  score: Pick<SoughtScore, 'step_key' | 'path'> & Partial<SoughtScore>
  isDescending: boolean
}

async function readScored(scope: Scope, engine: Engine, { run, score, isDescending }: ScoredQuery): Promise<Uuid[]> {
  const { step_key, path, value, min, max } = score
  const found = await requiredRunScore(scope, engine, { run, step_key, path })
  requireSameType(found.form === 'word', { path, value, min, max })
  const sought = { value: typeof value === 'boolean' ? Number(value) : value, min, max }
  const place = { project_id: scope.project_id, run_id: run.id }
  return readScoredScenarios(engine, place, { score: found, sought, isDescending })
}

type SoughtValues = Pick<ScoredQuery['score'], 'path' | 'value' | 'min' | 'max'>

/** Words can only be the same as a text, and numbers cannot be compared with one. */
function requireSameType(isWord: boolean, { path, value, min, max }: SoughtValues): void {
  const hasNumber = min !== undefined || max !== undefined || (value !== undefined && typeof value !== 'string')
  if (isWord && hasNumber)
    throw invalid(`score: the values of ${path} are words: value must be a string, without min and max`)
  if (!isWord && typeof value === 'string') throw invalid(`score.value: the values of ${path} are not strings`)
}

interface PageRow {
  id: Uuid
  status: Status
  total: number
}

interface PageQuery {
  conditions: readonly Condition[]
  ordered: readonly Uuid[]
  query: RunCasesQuery
}

async function countOf({ db }: Scope, conditions: readonly Condition[]): Promise<number> {
  const { rows } = await sql<{ total: number }>`${counted(conditions)}`.execute(db)
  return rows[0]?.total ?? 0
}

const counted = (conditions: readonly Condition[]): Condition =>
  sql`select count(*)::int as total from evaluation_scenarios s where ${sql.join([...conditions], sql` and `)}`

async function readPage(scope: Scope, { conditions, ordered, query }: PageQuery): Promise<PageRow[]> {
  const { offset = 0, limit = RUN_CASES_DEFAULT, is_newest_first = false } = query
  const direction = sql.raw(is_newest_first ? 'desc' : 'asc')
  const isOrdered = ordered.length > 0
  // Of a whole run in the order of an index nothing is sorted, and the index alone is counted.
  const total = isOrdered || isLimited(query) ? sql`(count(*) over ())::int` : sql`(${counted(conditions)})`
  const { rows } = await sql<PageRow>`select s.id, s.status, ${total} as total
    from evaluation_scenarios s ${isOrdered ? joined(ordered) : sql``} where ${sql.join([...conditions], sql` and `)}
    order by ${isOrdered ? sql`o.n nulls last,` : sql``} s.id ${direction} limit ${limit} offset ${offset}`.execute(
    scope.db,
  )
  return rows
}

const isLimited = ({ scenario_ids, status, failure, score }: RunCasesQuery): boolean =>
  [scenario_ids, status, failure, score].some(one => one !== undefined)

const joined = (ordered: readonly Uuid[]): Condition => sql`left join (
  select one::uuid as id, n from jsonb_array_elements_text(${toJsonb([...ordered])}::jsonb) with ordinality x(one, n)
) o on o.id = s.id`

interface CellRow {
  scenario_id: Uuid
  step_key: string
  repeat_idx: number
  status: Status
  trace_id: Uuid | null
  testcase_id: Uuid | null
  error: JsonObject | null
}

interface CellsQuery {
  run: RunRow
  rows: readonly PageRow[]
}

async function withCells(scope: Scope, engine: Engine, { run, rows }: CellsQuery): Promise<RunCase[]> {
  const { db, project_id } = scope
  const ids = rows.map(({ id }) => id)
  const { rows: cells } = await sql<CellRow>`select t.scenario_id, t.step_key, t.repeat_idx, t.status, t.trace_id,
      t.testcase_id, t.error from evaluation_results t
    where t.project_id = ${project_id} and t.run_id = ${run.id} and t.repeat_idx < ${SHOWN_REPEATS_MAX}
      and ${isAmong('scenario_id', ids, 'uuid')}
    order by t.repeat_idx, t.id`.execute(db)
  const traceIds = [...new Set(cells.flatMap(({ trace_id }) => hexOf(trace_id) ?? []))]
  const contents = await readCellContents(engine, project_id, traceIds)
  const isScored = new Set(stepsOf(run).flatMap(({ key, type }) => (type === 'annotation' ? [key] : [])))
  const byScenario = Map.groupBy(cells, ({ scenario_id }) => scenario_id)
  return rows.map(({ id, status }) => {
    const own = byScenario.get(id) ?? []
    const testcase_id = own.find(cell => cell.testcase_id !== null)?.testcase_id
    const shown = own.map(cell => shownCell(cell, contents, isScored.has(cell.step_key)))
    return { scenario_id: id, status, ...(testcase_id && { testcase_id }), cells: shown }
  })
}

const hexOf = (id: Uuid | null): TraceId | undefined => (id === null ? undefined : (parseTraceId(id) ?? undefined))

function shownCell(cell: CellRow, contents: ReadonlyMap<TraceId, CellContent>, isScored: boolean): CaseCell {
  const { step_key, repeat_idx, status, error } = cell
  const trace_id = hexOf(cell.trace_id)
  const content = trace_id === undefined ? undefined : contents.get(trace_id)
  return {
    step_key,
    repeat_idx,
    status,
    ...(error && { error: error as Json }),
    ...(trace_id && { trace_id }),
    ...(content && contentOf(content, isScored)),
  }
}
