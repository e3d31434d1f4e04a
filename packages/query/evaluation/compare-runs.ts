import type { Uuid } from '@spanhouse/model'
import { attributePlace } from '../compile/place.ts'
import { numberIn } from '../compile/written-json.ts'
import { SPAN_DATA } from '../long-data.ts'
import { fromRoots, SETTINGS } from '../page/statements.ts'
import { count, float, int, join, type Sql, sql, text, texts, uuid } from '../sql.ts'
import { AMOUNTS, cellsOf } from './cell-metrics.ts'
import { inRun } from './run-cases.ts'

/*
 * Statements that compare runs case by case. A case is a testcase, or a source trace, and a repeat. Of several
 * scenarios of a run for the same testcase the first is compared with the first of the other run, and so on.
 */

/** A value that is compared: a number, or true and false as 1 and 0, at a path of a step's root span. */
export interface ComparedScore {
  /** The step of this run that has the value; undefined: none has. */
  readonly step_key: string | undefined
  readonly path: readonly string[]
  readonly isBinary: boolean
}

/** One side of a comparison: a run, and its scores in the order of those of the other side. */
export interface ComparedRun {
  readonly run_id: Uuid
  readonly scores: readonly ComparedScore[]
  /** The steps by type, which tell cases and subjects. */
  readonly inputs: readonly string[]
  readonly invocations: readonly string[]
  /** All steps that leave traces. A scenario's repeat without any of them is not a case. */
  readonly traced: readonly string[]
}

export interface ComparedPair {
  readonly project_id: Uuid
  readonly baseline: ComparedRun
  readonly candidate: ComparedRun
}

const NO_TRACE = sql`toFixedString('', 16)`
const NO_ID = sql`toUUID('00000000-0000-0000-0000-000000000000')`

/** How pairs of cases are found: cases that one run alone has are left out. */
const MATCHED = sql`b.case_id = c.case_id AND b.nth = c.nth AND b.repeat_idx = c.repeat_idx`

/**
 * Joins are made as they are written. The engine would reorder them by sizes that it remembers of earlier statements, and
 * has joined the scores of both runs first, where only the repeat has to be the same: every case with every case.
 */
const AS_WRITTEN = sql`${SETTINGS}, query_plan_optimize_join_order_limit = 0`

/**
 * One row: `matched`, how many testcases or source traces there are in both runs; `pairs`, for each score the list of
 * [baseline, candidate] of all of these with both values, which are means if there are repeats. Repeats are alike, and
 * each on its own would make any difference look certain; means that differ by rounding alone are the same. Values whose
 * sum or difference no number can hold are none. Which scores are compared does not change `matched`.
 */
export function compileComparison({ project_id, baseline, candidate }: ComparedPair): Sql {
  const means = baseline.scores.map((_, index) => {
    const [one, other] = [scoreAt(sql`b`, index), scoreAt(sql`c`, index)]
    const hasBoth = sql`isNotNull(${one}) AND isNotNull(${other})`
    return sql`(countIf(${hasBoth}), ${meanOf(one, hasBoth)}, ${meanOf(other, hasBoth)},
      ${roundingOf(one, hasBoth)} + ${roundingOf(other, hasBoth)})`
  })
  const pairs = means.map((_, index) => {
    const mean = sql`means[${int(index + 1)}]`
    const isTie = sql`${mean}.1 > 1 AND abs(${mean}.3 - ${mean}.2) <= ${mean}.4`
    const pair = sql`(${mean}.2, if(${isTie}, ${mean}.2, ${mean}.3))`
    // In one order, so that resampling the same values has the same result.
    return sql`arraySort(groupArrayIf(${pair}, ${mean}.1 > 0 AND isFinite(${mean}.3 - ${mean}.2)))`
  })
  return sql`SELECT count() AS matched, tuple(${join(pairs)}) AS pairs
FROM (SELECT CAST([${join(means)}], 'Array(Tuple(UInt64, Float64, Float64, Float64))') AS means
  FROM (${casesOf(project_id, baseline)}) AS b INNER JOIN (${casesOf(project_id, candidate)}) AS c ON ${MATCHED}
  GROUP BY b.case_id, b.nth) ${AS_WRITTEN}`
}

/** Added up in the order of the values: in another one the same values may have another mean. */
const meanOf = (value: Sql, isMeant: Sql): Sql =>
  sql`arrayAvg(arraySort(groupArrayIf(assumeNotNull(${value}), ${isMeant})))`

/**
 * How far a mean of several values may be from that of the numbers as they are written, which is also how far two means
 * may differ that are the same: 0.7, 0.8 and 0.9 have another mean than 0.8 three times. Each value, and each sum on the
 * way, is off by at most 2^-53 of it.
 */
const roundingOf = (value: Sql, isMeant: Sql): Sql =>
  sql`sumIf(abs(assumeNotNull(${value})) * ${float(2 ** -52)}, ${isMeant})`

/** Which matched cases, and in which order. */
export interface ComparedCasesPage {
  /** The place of the score that orders them. */
  readonly score: number
  readonly isHigherBetter: boolean
  /** Only those of these scenarios of the baseline. */
  readonly scenario_ids?: readonly Uuid[] | undefined
  readonly offset: number
  readonly limit: number
}

/** A page of matched cases, those in which the candidate is worst compared to the baseline first. */
export function compileComparedCases({ project_id, baseline, candidate }: ComparedPair, order: ComparedCasesPage): Sql {
  const [one, other] = [scoreAt(sql`b`, order.score), scoreAt(sql`c`, order.score)]
  const difference = order.isHigherBetter ? sql`${other} - ${one}` : sql`${one} - ${other}`
  const side = (name: Sql): Sql =>
    sql`tuple(toString(${name}.scenario_id), lower(hex(${name}.subject)), ${name}.scores, arrayMap(x -> lower(hex(x)), ${name}.traces))`
  const ids = order.scenario_ids
  const chosen = ids ? sql`WHERE has(${texts(ids)}, toString(b.scenario_id))\n` : sql``
  return sql`SELECT b.case_id AS case_id, b.is_testcase AS is_testcase, b.repeat_idx AS repeat_idx, ${side(sql`b`)} AS baseline, ${side(sql`c`)} AS candidate
FROM (${casesOf(project_id, baseline)}) AS b INNER JOIN (${casesOf(project_id, candidate)}) AS c ON ${MATCHED}
${chosen}ORDER BY ${difference} ASC NULLS LAST, case_id, b.nth, repeat_idx LIMIT ${count(order.limit)} OFFSET ${count(order.offset)} ${AS_WRITTEN}`
}

const scoreAt = (side: Sql, index: number): Sql => sql`${side}.scores[${int(index + 1)}]`

/** Rows of `case_id`, `nth`, `repeat_idx`, `scenario_id`, `subject`, `scores` and `traces` of one run. */
function casesOf(project_id: Uuid, run: ComparedRun): Sql {
  return sql`SELECT case_id, is_testcase, nth, repeat_idx, s.scenario_id AS scenario_id,
  if(v.subject = ${NO_TRACE}, s.subject, v.subject) AS subject, scores, traces
FROM (${scenariosOf(project_id, run)}) AS s INNER JOIN (${scoresOf(project_id, run)}) AS v ON s.scenario_id = v.scenario_id`
}

/** Scenarios with what they are of; those of no testcase and no source trace cannot be matched. */
function scenariosOf(project_id: Uuid, { run_id, inputs, invocations }: ComparedRun): Sql {
  return sql`SELECT scenario_id, is_testcase, case_id, subject,
  row_number() OVER (PARTITION BY case_id ORDER BY toString(scenario_id)) AS nth
FROM (
  SELECT scenario_id, anyIf(testcase_id, testcase_id != ${NO_ID}) AS testcase, testcase != ${NO_ID} AS is_testcase,
    anyIf(trace_id, ${isIn(sql`step_key`, inputs)} AND trace_id != ${NO_TRACE}) AS source,
    argMinIf(trace_id, repeat_idx, ${isIn(sql`step_key`, invocations)} AND trace_id != ${NO_TRACE}) AS subject,
    if(is_testcase, toString(testcase), if(source = ${NO_TRACE}, '', lower(hex(source)))) AS case_id
  FROM evaluation_cells FINAL WHERE project_id = ${uuid(project_id)} AND run_id = ${uuid(run_id)} AND NOT is_deleted
  GROUP BY scenario_id)
WHERE case_id != ''`
}

const isIn = (value: Sql, keys: readonly string[]): Sql => sql`has(${texts(keys)}, ${value})`

/** The values of each scenario and repeat. Null: there is none. */
function scoresOf(project_id: Uuid, { run_id, scores, invocations, traced }: ComparedRun): Sql {
  const places = { project_id, run_id, kind: 'run', among: [] } as const
  const values = scores.map(score => sql`anyIf(${valueAt(score)}, ${isStep(score)})`)
  const traces = scores.map(score => sql`anyIf(c.trace_id, ${isStep(score)})`)
  const hasOutputs = scores.some(({ path }) => path[1] === 'data')
  const data = hasOutputs ? SPAN_DATA : sql`'' AS ${SPAN_DATA}`
  return sql`SELECT scenario_id, repeat_idx, anyIf(c.trace_id, ${isIn(sql`step_key`, invocations)}) AS subject,
  CAST([${join(values)}], 'Array(Nullable(Float64))') AS scores, [${join(traces)}] AS traces
FROM (SELECT scenario_id, repeat_idx, step_key, trace_id FROM (${cellsOf(places, traced)})) AS c
INNER JOIN (SELECT trace_id, ${AMOUNTS}, ${data} ${fromRoots(project_id, inRun(places))}) AS r ON c.trace_id = r.trace_id
GROUP BY scenario_id, repeat_idx`
}

const isStep = ({ step_key }: ComparedScore): Sql =>
  step_key === undefined ? sql`false` : sql`step_key = ${text(step_key)}`

/** What every span has: zero is an amount of these, and of the others that nothing is known. */
const COUNTED = new Set(['ag.metrics.duration.cumulative', 'ag.metrics.errors.cumulative'])

function valueAt({ step_key, path, isBinary }: ComparedScore): Sql {
  if (step_key === undefined) return sql`NULL`
  const { column, json, present } = attributePlace(path)
  if (column?.type === 'number') {
    const amount = sql`toFloat64(${column.column})`
    // Nullable: `anyIf` finds 0 in none of other numbers, also where the step has no trace.
    return COUNTED.has(column.key) ? sql`toNullable(${amount})` : sql`if(${present}, ${amount}, NULL)`
  }
  if (isBinary) return sql`multiIf(${json} = 'true', 1., ${json} = 'false', 0., NULL)`
  return numberIn(json)
}
