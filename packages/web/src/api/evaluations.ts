import type { RunCase, RunScores } from '@spanhouse/server/routes/evaluations/case-answers.ts'
import type { Comparison } from '@spanhouse/server/routes/evaluations/comparison-answer.ts'
import { type InfiniteData, infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api, apiById, post } from './client.ts'
import type { Json, JsonObject } from './registry/registry.ts'

export type { CaseCell, RunScores, ScoreSummary } from '@spanhouse/server/routes/evaluations/case-answers.ts'
export type {
  ComparedCase,
  ComparedScore,
  Comparison,
} from '@spanhouse/server/routes/evaluations/comparison-answer.ts'

/** A revision or artifact that a step is made of. */
export interface Reference {
  id?: string
  slug?: string
  version?: string
}

export interface Step {
  key: string
  type: 'input' | 'invocation' | 'annotation'
  origin: 'auto' | 'human' | 'custom'
  references?: Readonly<Record<string, Reference>>
  schemas?: { outputs?: JsonObject }
}

export interface Run {
  id: string
  name?: string
  description?: string
  status: string
  created_at: string
  flags?: Readonly<Record<string, boolean>>
  data?: { steps?: Step[]; repeats?: number }
  /** Runs that were started together share the id of their group. */
  meta?: { group_id?: string }
}

/** Whether a run may still change by itself: because of workers, people or clients. */
export const isGoingOn = ({ status, flags = {} }: Run): boolean =>
  flags.is_closed !== true && (flags.is_active === true || (status === 'running' && flags.is_live !== true))

/**
 * What a run does, where its status alone does not say it: a live run is always `running`, and so is one without
 * activity, stopped or not, while its cases wait for people or clients.
 */
export function stateOf({ status, flags = {} }: Run): string {
  if (flags.is_closed) return status === 'running' ? 'closed' : status
  if (flags.is_live && (status === 'running' || status === 'cancelled')) return flags.is_active ? 'live' : 'paused'
  if (status !== 'running' || flags.is_active) return status
  return flags.has_human ? 'people' : 'waiting'
}

/** How often what a run that goes on has changed is asked for, and a list with such a run. */
const RUN_REFRESH_MS = 1_500
const LIST_REFRESH_MS = 3_000

export interface Queue {
  id: string
  name?: string
  status: string
  run_id: string
  created_at: string
  data: { kind: string; repeats?: number; assignments?: string[][] }
}

/** How far a run is, as its events say. */
export interface RunProgress {
  run_id: string
  status: string
  is_active: boolean
  is_closed: boolean
  scenarios: { total: number; by_status: Readonly<Record<string, number>> }
}

/** A run as it is by its newest event. */
export const runAt = (run: Run, progress: RunProgress | undefined): Run => {
  if (progress === undefined) return run
  const { status, is_active, is_closed } = progress
  return { ...run, status, flags: { ...run.flags, is_active, is_closed } }
}

export interface Testcase {
  id: string
  data?: JsonObject
}

/** A case of a run with the testcase that it is of. */
export interface CaseRow extends RunCase {
  testcase?: Testcase
}

const CASES_PER_PAGE = 100
const LISTED_PER_PAGE = 50
const REFRESHED_PAGES_MAX = 3

interface Page {
  windowing?: object
}

/**
 * Whether a list has a run that may change. All its pages are read again, so a long one that somebody has scrolled
 * through is not.
 */
export const refreshOf = (pages: readonly { runs: Run[] }[] = []): number | false =>
  pages.length <= REFRESHED_PAGES_MAX && pages.some(({ runs }) => runs.some(isGoingOn)) ? LIST_REFRESH_MS : false

/** Pages of runs whose names contain a text, newest first. */
export const runsQuery = (find = '') =>
  infiniteQueryOptions({
    queryKey: ['runs', find],
    initialPageParam: { limit: LISTED_PER_PAGE } as object,
    queryFn: ({ pageParam: windowing, signal }) =>
      post<Page & { runs: Run[] }>('/evaluations/runs/query', { run: { name: find || null }, windowing }, signal),
    getNextPageParam: ({ windowing }: Page) => windowing,
    placeholderData: keepPreviousData,
  })

/** Pages of queues, newest first. */
export const queuesQuery = infiniteQueryOptions({
  queryKey: ['queues'],
  initialPageParam: { limit: LISTED_PER_PAGE } as object,
  queryFn: ({ pageParam: windowing, signal }) =>
    post<Page & { queues: Queue[] }>('/simple/queues/query', { windowing }, signal),
  getNextPageParam: ({ windowing }: Page) => windowing,
})

/** Null: the project has no such run. */
export const runQuery = (id: string) =>
  queryOptions({
    queryKey: ['run', id],
    queryFn: async ({ signal }) =>
      (await apiById<{ run?: Run }>(`/evaluations/runs/${encodeURIComponent(id)}`, { signal }))?.run ?? null,
  })

/** Runs by their ids, in any order; those that do not exist are left out. None if one of them cannot be an id. */
export const runsByIdQuery = (ids: readonly string[]) =>
  queryOptions({
    queryKey: ['runs by id', ids],
    queryFn: async ({ signal }) => {
      const asked = { method: 'POST', body: { run: { ids } }, signal } as const
      return (await apiById<{ runs: Run[] }>('/evaluations/runs/query', asked))?.runs ?? []
    },
    enabled: ids.length > 0,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.some(isGoingOn) ? RUN_REFRESH_MS : false),
  })

/** The stored metrics of whole runs: of each step its paths, of each path its statistics. */
export interface RunMetrics {
  run_id: string
  data?: Readonly<Record<string, Readonly<Record<string, { type?: string; mean?: number; freq?: Frequency[] }>>>>
}
interface Frequency {
  value: Json
  count: number
  density: number
}

/** Of some runs. They are read again when one of these has another status. */
export const metricsQuery = (runs: readonly Run[]) =>
  queryOptions({
    queryKey: ['metrics', runs.map(({ id, status }) => [id, status])],
    queryFn: async ({ signal }) => {
      const run_ids = runs.map(({ id }) => id)
      const metrics = { run_ids, scenario_ids: false, timestamps: false }
      return (await post<{ metrics: RunMetrics[] }>('/evaluations/metrics/query', { metrics }, signal)).metrics
    },
    enabled: runs.length > 0,
    placeholderData: keepPreviousData,
  })

export const scoresQuery = (run_id: string, everyMs: number | false) =>
  queryOptions({
    queryKey: ['scores', run_id],
    queryFn: ({ signal }) => readScores(run_id, signal),
    refetchInterval: everyMs,
  })

/** Null: the project has no such run. */
export const readScores = async (run_id: string, signal: AbortSignal): Promise<RunScores | null> =>
  (await api<{ run_scores?: RunScores }>(`/evaluations/runs/${run_id}/scores`, { signal })).run_scores ?? null

/** Which cases of a run, and in which order. */
export interface CasesAsked {
  scenario_ids?: string[]
  status?: string
  failure?: { step_key: string; reason: string }
  score?: { step_key: string; path: string; value?: number | boolean | string; min?: number; max?: number }
  order_by?: { step_key: string; path: string; is_descending?: boolean }
  is_newest_first?: boolean
}

export interface CasesPage {
  total: number
  /** How many more have come since the list was read first. */
  newer?: number
  offset: number
  cases: CaseRow[]
}

/** A page of cases with their testcases, with integers of any size. */
export async function readCases(
  run_id: string,
  asked: CasesAsked & { until?: string | undefined; offset?: number; limit?: number },
  signal?: AbortSignal,
): Promise<CasesPage> {
  const path = `/evaluations/runs/${run_id}/cases`
  const request = { method: 'POST', body: { cases: asked }, signal, isExact: true } as const
  const { cases, ...counts } = await api<{ total: number; newer?: number; cases: RunCase[] }>(path, request)
  const testcase_ids = [...new Set(cases.flatMap(({ testcase_id }) => testcase_id ?? []))]
  const testcases = await readTestcases(testcase_ids, signal)
  return {
    ...counts,
    offset: asked.offset ?? 0,
    cases: cases.map(one => {
      const testcase = testcases.get(one.testcase_id ?? '')
      return testcase ? { ...one, testcase } : one
    }),
  }
}

async function readTestcases(ids: readonly string[], signal?: AbortSignal): Promise<Map<string, Testcase>> {
  if (ids.length === 0) return new Map()
  const request = { method: 'POST', body: { testcase_ids: ids }, signal, isExact: true } as const
  const { testcases } = await api<{ testcases: Testcase[] }>('/testcases/query', request)
  return new Map(testcases.map(one => [one.id, one]))
}

interface CasesReading {
  everyMs: number | false
  /** Names a list of the newest cases, which stays as it was when it was read first. What has come is in the next one. */
  reading: number
}

export const casesQuery = (run_id: string, asked: CasesAsked, { everyMs, reading }: CasesReading) => {
  const queryKey = ['cases', run_id, asked, reading]
  return infiniteQueryOptions({
    queryKey,
    initialPageParam: 0,
    queryFn: ({ pageParam: offset, signal, client }) => {
      const [first] = client.getQueryData<InfiniteData<CasesPage>>(queryKey)?.pages ?? []
      const until = asked.is_newest_first ? first?.cases[0]?.scenario_id : undefined
      return readCases(run_id, { ...asked, until, offset, limit: CASES_PER_PAGE }, signal)
    },
    getNextPageParam: ({ offset, cases, total }: CasesPage) =>
      offset + cases.length < total ? offset + cases.length : undefined,
    placeholderData: keepPreviousData,
    structuralSharing: false,
    // All pages are read again, so a long list that somebody has scrolled through is not.
    refetchInterval: ({ state }) => ((state.data?.pages.length ?? 0) <= REFRESHED_PAGES_MAX ? everyMs : false),
  })
}

/** Some cases of a run by their scenarios. */
export const casesByIdQuery = (run_id: string, scenario_ids: string[]) =>
  queryOptions({
    queryKey: ['cases by id', run_id, scenario_ids],
    queryFn: ({ signal }) => readCases(run_id, { scenario_ids, limit: scenario_ids.length }, signal),
    structuralSharing: false,
    enabled: scenario_ids.length > 0,
  })

export interface ScoreName {
  step_key: string
  path: string
}

/** The statistics of a comparison, and a page of its cases: the worst of one run by one score first. */
export const comparisonQuery = (
  asked: { baseline_run_id: string; run_ids: readonly string[] },
  cases: { run_id?: string | undefined; score?: ScoreName | undefined },
  isGoing: boolean,
) =>
  infiniteQueryOptions({
    // When the last run has ended, it is asked once more.
    queryKey: ['comparison', asked, cases, isGoing],
    refetchInterval: isGoing ? RUN_REFRESH_MS : false,
    initialPageParam: 0,
    queryFn: async ({ pageParam: offset, signal }) => {
      const comparison = { ...asked, cases: { ...cases, offset, limit: CASES_PER_PAGE } }
      return (await post<{ comparison: Comparison }>('/evaluations/runs/compare', { comparison }, signal)).comparison
    },
    getNextPageParam: ({ cases }: Comparison, _all, offset: number) =>
      cases.length === CASES_PER_PAGE ? offset + CASES_PER_PAGE : undefined,
    enabled: asked.run_ids.length > 0,
    placeholderData: keepPreviousData,
  })

/** The cases of one scenario of a baseline in the comparison with a run. None if it cannot be an id. */
export const comparedScenarioQuery = (baseline_run_id: string, run_id: string, scenario_id: string | undefined) =>
  queryOptions({
    queryKey: ['compared scenario', baseline_run_id, run_id, scenario_id],
    queryFn: async ({ signal }) => {
      const cases = { scenario_ids: [scenario_id], limit: CASES_PER_PAGE }
      const comparison = { baseline_run_id, run_ids: [run_id], cases }
      const asked = { method: 'POST', body: { comparison }, signal } as const
      return (await apiById<{ comparison: Comparison }>('/evaluations/runs/compare', asked))?.comparison.cases ?? []
    },
    enabled: scenario_id !== undefined,
  })

export const stopRun = (id: string): Promise<unknown> => post(`/simple/evaluations/${id}/stop`, {})

/** Starts a run that was stopped: it goes on with what is missing, a live one with the traces that arrive from now on. */
export const resumeRun = (id: string): Promise<unknown> => post(`/simple/evaluations/${id}/start`, {})

export const renameRun = (id: string, name: string): Promise<unknown> =>
  api(`/evaluations/runs/${id}`, { method: 'PATCH', body: { run: { id, name } } })

/** Deletes a run with its cases, scores and queues; the traces stay. */
export const deleteRun = (id: string): Promise<unknown> => api(`/evaluations/runs/${id}`, { method: 'DELETE' })

/** Of what evaluations are made: ids of revisions. */
interface Evaluating {
  name: string
  evaluators: Readonly<Record<string, 'auto' | 'human'>>
  repeats?: number
}

export interface NewEvaluation extends Evaluating {
  testset: string
  applications: readonly string[]
}

/** Starts an evaluation of each application. Returns the ids of their runs. Throws an Error if it is rejected. */
export function startEvaluation({ name, testset, applications, evaluators, repeats }: NewEvaluation) {
  const [first, ...others] = applications
  const subjects = others.length > 0 ? { subjects: applications } : { application_steps: { [first ?? '']: 'auto' } }
  return start({
    name,
    data: { testset_steps: { [testset]: 'custom' }, evaluator_steps: evaluators, repeats, ...subjects },
  })
}

interface TraceEvaluation extends Evaluating {
  /** A revision of a saved filter. */
  query: string
  /** Of the traces that arrive from now on, instead of those that are stored. */
  isLive?: boolean
}

/** Starts an evaluation of traces as they are, as {@link startEvaluation} does. */
export const startTraceEvaluation = ({ name, query, isLive, evaluators, repeats }: TraceEvaluation) =>
  start({
    name,
    ...(isLive && { flags: { is_live: true } }),
    data: { query_steps: { [query]: 'custom' }, evaluator_steps: evaluators, repeats },
  })

async function start(evaluation: { name: string; flags?: object; data: object }): Promise<string[]> {
  const answer = await post<Started>('/simple/evaluations/', { evaluation })
  const ids = (answer.evaluations ?? [answer.evaluation]).flatMap(one => one?.id ?? [])
  if (ids.length === 0) throw new Error(answer.detail?.message ?? 'The evaluation was rejected.')
  return ids
}

interface Started {
  evaluation?: { id: string }
  evaluations?: { id: string }[]
  detail?: { message: string }
}
