/*
 * What the addresses of the screens of evaluations say: everything that is not the default. What is malformed counts as
 * absent.
 */

type Given = Record<string, unknown>

const textIn = (given: Given, name: string): string | undefined => {
  const value = given[name]
  return typeof value === 'string' && value !== '' ? value : undefined
}

const listIn = (given: Given, name: string): string[] | undefined => {
  const items = textIn(given, name)?.split(',').filter(Boolean)
  return items && items.length > 0 ? items : undefined
}

const flagIn = (given: Given, name: string): true | undefined => (given[name] === true ? true : undefined)

/** Runs that can be compared at once, with the baseline. */
export const COMPARED_MAX = 5

export interface EvaluationsSearch {
  list?: 'queues' | undefined
  /** What the names of the listed runs contain. */
  find?: string | undefined
  /** Runs that are chosen for a comparison, separated by commas; the first is the baseline. */
  chosen?: string | undefined
}

export const readEvaluationsSearch = (given: Given): EvaluationsSearch => ({
  list: given.list === 'queues' ? 'queues' : undefined,
  find: textIn(given, 'find'),
  chosen: listIn(given, 'chosen')?.slice(0, COMPARED_MAX).join(),
})

/** The two runs whose outputs people compare. */
export interface JudgeSearch {
  baseline?: string | undefined
  run?: string | undefined
}

export const readJudgeSearch = (given: Given): JudgeSearch => ({
  baseline: textIn(given, 'baseline'),
  run: textIn(given, 'run'),
})

export interface StartSearch {
  name?: string | undefined
  /** What is evaluated: the traces that arrive, if not applications with a testset. */
  source?: 'traces' | undefined
  /** Which traces, as in the filter line, and how many of a hundred. */
  q?: string | undefined
  rate?: number | undefined
  /** Ids of revisions; several are separated by commas. */
  testset?: string | undefined
  applications?: string | undefined
  /** `revision:auto` or `revision:human`. */
  evaluators?: string | undefined
  repeats?: number | undefined
}

export const REPEATS_MAX = 20

/** Of a hundred traces; the most is what is not said. */
export const RATE_MIN = 0.01
export const RATE_MAX = 100

export function readStartSearch(given: Given): StartSearch {
  // Digits in an address, a number from the form. A hand-written address may contain an object.
  const numberIn = (name: string): number => (typeof given[name] === 'object' ? Number.NaN : Number(given[name]))
  const [repeats, rate] = [numberIn('repeats'), numberIn('rate')]
  return {
    name: textIn(given, 'name'),
    source: given.source === 'traces' ? 'traces' : undefined,
    q: textIn(given, 'q'),
    rate: rate >= RATE_MIN && rate < RATE_MAX ? rate : undefined,
    testset: textIn(given, 'testset'),
    applications: listIn(given, 'applications')?.join(),
    evaluators: listIn(given, 'evaluators')?.join(),
    repeats: Number.isInteger(repeats) && repeats > 1 ? Math.min(repeats, REPEATS_MAX) : undefined,
  }
}

/** What the bin of a distribution stands for, as in `cases.score` of a request. */
export interface BinSearch {
  step_key: string
  path: string
  value?: number | boolean | string
  min?: number
  max?: number
}

export interface RunSearch {
  bin?: BinSearch | undefined
  failure?: { step_key: string; reason: string } | undefined
  /** Only those with an error. */
  errors?: true | undefined
  /** The score by which cases are sorted: its step and path. */
  by?: { step_key: string; path: string; is_descending?: boolean } | undefined
  /** The scenario that is open. */
  case?: string | undefined
  diff?: true | undefined
}

const objectIn = (given: Given, name: string): Given => {
  const value = given[name]
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Given) : {}
}

const isNumber = (value: unknown): value is number => typeof value === 'number'

function binIn(given: Given): BinSearch | undefined {
  const { value, min, max, ...name } = objectIn(given, 'bin')
  const [step_key, path] = [textIn(name, 'step_key'), textIn(name, 'path')]
  if (step_key === undefined || path === undefined) return undefined
  return {
    step_key,
    path,
    ...((isNumber(value) || typeof value === 'boolean' || typeof value === 'string') && { value }),
    ...(isNumber(min) && { min }),
    ...(isNumber(max) && { max }),
  }
}

export function readRunSearch(given: Given): RunSearch {
  const failure = objectIn(given, 'failure')
  const by = objectIn(given, 'by')
  const [step, reason] = [textIn(failure, 'step_key'), textIn(failure, 'reason')]
  const [step_key, path] = [textIn(by, 'step_key'), textIn(by, 'path')]
  return {
    bin: binIn(given),
    failure: step !== undefined && reason !== undefined ? { step_key: step, reason } : undefined,
    errors: flagIn(given, 'errors'),
    by:
      step_key !== undefined && path !== undefined
        ? { step_key, path, ...(by.is_descending === true && { is_descending: true }) }
        : undefined,
    case: textIn(given, 'case'),
    diff: flagIn(given, 'diff'),
  }
}

export interface CompareSearch {
  baseline?: string | undefined
  /** Separated by commas. */
  runs?: string | undefined
  /** The run whose cases are listed, by default the first, and the score by which they are sorted. */
  run?: string | undefined
  by?: { step_key: string; path: string } | undefined
  /** The scenario of the baseline that is open, with its repeat. */
  case?: string | undefined
  diff?: 'baseline' | 'expected' | undefined
}

export function readCompareSearch(given: Given): CompareSearch {
  const { by } = readRunSearch(given)
  return {
    baseline: textIn(given, 'baseline'),
    runs: listIn(given, 'runs')
      ?.slice(0, COMPARED_MAX - 1)
      .join(),
    run: textIn(given, 'run'),
    by: by && { step_key: by.step_key, path: by.path },
    case: textIn(given, 'case'),
    diff: given.diff === 'baseline' || given.diff === 'expected' ? given.diff : undefined,
  }
}

/** The items of a list in an address. */
export const itemsOf = (list: string | undefined): string[] => (list === undefined ? [] : list.split(','))
