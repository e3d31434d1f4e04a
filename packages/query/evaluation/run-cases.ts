import type { TraceId, Uuid } from '@spanhouse/model'
import { attributePlace } from '../compile/place.ts'
import { numberIn } from '../compile/written-json.ts'
import { SPAN_DATA } from '../long-data.ts'
import { fromRoots, SETTINGS } from '../page/statements.ts'
import { allOf, float, int, join, type Sql, sql, text, texts, uuid } from '../sql.ts'
import { cellsOf } from './cell-metrics.ts'

/*
 * Statements behind the table of an evaluation run: how its scores are distributed, which scenarios have a value of a
 * score, and what the traces of cells contain.
 */

/** A value in the outputs of an evaluator: a number, true or false (1 and 0), or a word of a fixed set. */
export interface RunScore {
  readonly step_key: string
  readonly path: readonly string[]
  readonly form: 'number' | 'binary' | 'word'
}

interface Run {
  readonly project_id: Uuid
  readonly run_id: Uuid
}

/** So many different values are counted one by one; more are counted in intervals of equal width. */
const VALUES_MAX = 12
const INTERVALS = 20
const WORDS_MAX = 50

/**
 * One row: `costs` of the traces of all cells; `numbers`, for each score [count, list of [from, to, count]] of its
 * cells; `cases`, for each score [count, mean, standard deviation] of the means of scenarios; and `words`, for each
 * score [count, list of [word, count]]. An interval includes its start, the last one its end, too; a value that is counted
 * alone is both ends. `keys`: all steps that leave traces.
 */
export function compileScoreSummaries(run: Run, scores: readonly RunScore[], keys: readonly string[]): Sql {
  const places = { ...run, kind: 'run', among: [] } as const
  const numbers = scores.map(score => onlyOf(score, score.form === 'word' ? sql`NULL` : numberAt(score), sql`NULL`))
  const words = scores.map(score => onlyOf(score, score.form === 'word' ? wordAt(score) : sql`NULL`, sql`NULL`))
  const rows = sql`SELECT scenario_id, cost, CAST([${join(numbers)}], 'Array(Nullable(Float64))') AS numbers,
  CAST([${join(words)}], 'Array(Nullable(String))') AS words
FROM (SELECT scenario_id, step_key, trace_id FROM (${cellsOf(places, keys)})) AS c
INNER JOIN (SELECT trace_id, toFloat64(costs_cumulative_total) AS cost, ${SPAN_DATA} ${fromRoots(run.project_id, inRun(run))}) AS r
  ON c.trace_id = r.trace_id`
  const at = (list: Sql, index: number): Sql => sql`${list}[${int(index + 1)}]`
  const listsOf = (type: Sql, list: (index: number) => Sql): Sql =>
    sql`CAST([${join(scores.map((_, index) => list(index)))}], ${type})`
  const scenarios = sql`SELECT sum(cost) AS own_cost,
  ${listsOf(NUMBER_LISTS, index => sql`groupArray(${at(sql`numbers`, index)})`)} AS own_numbers,
  ${listsOf(WORD_LISTS, index => sql`groupArray(${at(sql`words`, index)})`)} AS own_words
FROM (${rows}) GROUP BY scenario_id`
  const own = (index: number): Sql => at(sql`own_numbers`, index)
  const lists = sql`SELECT sum(own_cost) AS costs,
  ${listsOf(NUMBER_LISTS, index => sql`groupArrayArray(${own(index)})`)} AS number_lists,
  ${listsOf(NUMBER_LISTS, index => sql`groupArrayIf(arrayAvg(${own(index)}), notEmpty(${own(index)}))`)} AS mean_lists,
  ${listsOf(WORD_LISTS, index => sql`groupArrayArray(${at(sql`own_words`, index)})`)} AS word_lists
FROM (${scenarios})`
  return sql`SELECT costs, arrayMap(a -> ${numberSummary}, number_lists) AS numbers,
  arrayMap(a -> ${caseSummary}, mean_lists) AS cases, arrayMap(a -> ${wordSummary}, word_lists) AS words
FROM (${lists}) ${SETTINGS}`
}

/** The root spans that results of the run point to. */
export const inRun = ({ project_id, run_id }: Run): Sql =>
  sql`trace_id IN (SELECT trace_id FROM evaluation_cells WHERE project_id = ${uuid(project_id)} AND run_id = ${uuid(run_id)})`

const NUMBER_LISTS = sql`'Array(Array(Float64))'`
const WORD_LISTS = sql`'Array(Array(String))'`

/** The value of a score where the row is of its step. */
const onlyOf = ({ step_key }: RunScore, value: Sql, other: Sql): Sql =>
  sql`if(step_key = ${text(step_key)}, ${value}, ${other})`

const START = sql`arrayMin(a) + b * (arrayMax(a) - arrayMin(a)) / ${int(INTERVALS)}`
const NEXT_START = sql`arrayMin(a) + (b + 1) * (arrayMax(a) - arrayMin(a)) / ${int(INTERVALS)}`
const IS_LAST = sql`b = ${int(INTERVALS - 1)}`

/** Of the list `a` of numbers. */
const numberSummary = sql`(length(a),
  if(arrayUniq(a) <= ${int(VALUES_MAX)},
    arrayMap(v -> (v, v, countEqual(a, v)), arraySort(arrayDistinct(a))),
    arrayMap(b -> (${START}, if(${IS_LAST}, arrayMax(a), ${NEXT_START}),
      toUInt64(arrayCount(x -> x >= ${START} AND (${IS_LAST} OR x < ${NEXT_START}), a))), range(toUInt64(${int(INTERVALS)})))))`

/** Of the list `a` of means. */
const caseSummary = sql`(length(a), if(empty(a), 0, arrayAvg(a)), if(length(a) < 2, 0, arrayReduce('stddevSamp', a)))`

/** Of the list `a` of words, the most frequent first. */
const wordSummary = sql`(length(a), arraySlice(arraySort(p -> (-toInt64(p.2), p.1),
  arrayMap(w -> (w, countEqual(a, w)), arrayDistinct(a))), 1, ${int(WORDS_MAX)}))`

/** Null: there is none. */
function numberAt({ path, form }: RunScore): Sql {
  const { json } = attributePlace(path)
  if (form === 'binary') return sql`multiIf(${json} = 'true', 1., ${json} = 'false', 0., NULL)`
  return numberIn(json)
}

/** Null: there is none. */
function wordAt({ path }: RunScore): Sql {
  const { json } = attributePlace(path)
  return sql`if(startsWith(${json}, '"'), JSONExtractString(${json}), NULL)`
}

/** The values of a score that are sought: one, or those from `min` up to, but without, `max`. */
export interface SoughtValues {
  readonly value?: number | string
  readonly min?: number
  readonly max?: number
}

/**
 * Rows of `id`: the scenarios of which any cell of the step has a sought value, in the order of the mean of their
 * values (words: of the first), then of their ids.
 */
export function compileScoredScenarios(
  run: Run,
  score: RunScore,
  { sought, isDescending }: { sought: SoughtValues; isDescending: boolean },
): Sql {
  const places = { ...run, kind: 'run', among: [] } as const
  const isWord = score.form === 'word'
  const value = isWord ? wordAt(score) : numberAt(score)
  const direction = isDescending ? sql`DESC` : sql`ASC`
  return sql`SELECT toString(scenario_id) AS id FROM (
  SELECT scenario_id, arraySort(groupArray(${value})) AS found
  FROM (SELECT scenario_id, trace_id FROM (${cellsOf(places, [score.step_key])})) AS c
  INNER JOIN (SELECT trace_id, ${SPAN_DATA} ${fromRoots(run.project_id, inRun(run))}) AS r ON c.trace_id = r.trace_id
  GROUP BY scenario_id)
WHERE arrayExists(x -> ${allOf(conditionsOf(sought))}, found)
ORDER BY ${isWord ? sql`found[1]` : sql`arrayAvg(found)`} ${direction}, id ${SETTINGS}`
}

function conditionsOf({ value, min, max }: SoughtValues): Sql[] {
  if (value !== undefined) return [typeof value === 'string' ? sql`x = ${text(value)}` : sql`x = ${float(value)}`]
  return [
    ...(min === undefined ? [] : [sql`x >= ${float(min)}`]),
    ...(max === undefined ? [] : [sql`x < ${float(max)}`]),
  ]
}

/** Characters of a text, and members of an object, that a row of the table shows. */
export const CELL_CHARACTERS_MAX = 4_000
const MEMBER_CHARACTERS_MAX = 1_000
const MEMBERS_MAX = 100

/** What the root span of a trace contains. Texts are JSON, cut after one character more than is shown. */
export interface CellContent {
  readonly trace_id: TraceId
  readonly span_id: string
  /** Milliseconds. */
  readonly duration: number
  /** USD. */
  readonly costs: number
  readonly inputs: string
  readonly outputs: string
  /** Those of the outputs, if these are an object. */
  readonly members: readonly (readonly [name: string, json: string])[]
}

/** Rows of {@link CellContent}, of the traces that are stored. */
export function compileCellContents(project_id: Uuid, trace_ids: readonly TraceId[]): Sql {
  const beginning = (json: Sql, characters: number): Sql => sql`substringUTF8(${json}, 1, ${int(characters + 1)})`
  const part = (name: 'inputs' | 'outputs'): Sql =>
    beginning(sql`JSONExtractRaw(${SPAN_DATA}, ${text(name)})`, CELL_CHARACTERS_MAX)
  const members = sql`arrayMap(m -> (m.1, ${beginning(sql`m.2`, MEMBER_CHARACTERS_MAX)}),
  arraySlice(JSONExtractKeysAndValuesRaw(${SPAN_DATA}, 'outputs'), 1, ${int(MEMBERS_MAX)}))`
  const ids = sql`trace_id IN (SELECT toFixedString(unhex(arrayJoin(${texts(trace_ids)})), 16))`
  return sql`SELECT lower(hex(trace_id)) AS id, lower(hex(span_id)) AS span, toFloat64(duration_cumulative) AS duration,
  toFloat64(costs_cumulative_total) AS costs, ${part('inputs')} AS inputs, ${part('outputs')} AS outputs, ${members} AS members
${fromRoots(project_id, ids)} ${SETTINGS}`
}
