import { Problem } from '@spanhouse/model'
import type { Means } from '../run.ts'
import { RunError } from '../run-error.ts'
import { Ended, ThreadPool } from '../threads/thread-pool.ts'
import { codePointLength } from './code-points.ts'
import { WORK, type WorkName } from './work.ts'

export interface Pattern {
  source: string
  ignoreCase: boolean
}

/** What a thread is asked. */
export type Question = { pattern: Pattern; texts: readonly string[] } | Comparison
export interface Comparison {
  name: WorkName
  a: string
  b: string
}

/** `mistake`: why the question has no answer. */
export type Answer = { value: number | boolean[] } | { mistake: string }

/** For reading a pattern and finding it in all texts of a question. */
export const SEARCH_TIME_MAX_MS = 1_000
/** For one comparison of two texts. */
export const COMPUTE_TIME_MAX_MS = 5_000
/** Of each text that is compared, in characters. */
export const COMPARED_LENGTH_MAX = 1_048_576
/** Up to so many pairs of characters a comparison takes less than the way to a thread and back, a millisecond or so. */
const PAIRS_ON_LOOP_MAX = 1_200_000
/** What each text counts beside its length: reading it costs something, too. */
const LENGTH_BASE = 64

const pool = new ThreadPool<Question, Answer>({
  module: new URL('./work-thread.ts', import.meta.url),
  threadsMax: 2,
  waitingMax: 1_000,
  overloaded: 'Too many texts are being searched or compared.',
})

/** Patterns and comparisons for the runs of one owner, in threads that he takes turns with others on. */
export const workMeans = (owner: string): Pick<Means, 'search' | 'compute'> => ({
  search: (pattern, texts) => search(pattern, texts, owner),
  compute: (name, a, b) => compute({ name, a, b }, owner),
})

async function search(pattern: Pattern, texts: readonly string[], owner: string): Promise<boolean[]> {
  const answer = await ask({ pattern, texts }, { owner, timeMaxMs: SEARCH_TIME_MAX_MS })
  if (answer instanceof Ended) throw patternError(`it takes ${excessOf(answer, SEARCH_TIME_MAX_MS)} to search`)
  if ('mistake' in answer) throw patternError(answer.mistake)
  return answer.value as boolean[]
}

const patternError = (reason: string): RunError =>
  new RunError(400, 'v0:workflows:regex-pattern-error', `The regular expression cannot be used: ${reason}`)

async function compute(question: Comparison, owner: string): Promise<number> {
  const { name, a, b } = question
  if ((a.length + LENGTH_BASE) * (b.length + LENGTH_BASE) <= PAIRS_ON_LOOP_MAX) return WORK[name](a, b)
  if ([a, b].some(text => codePointLength(text) > COMPARED_LENGTH_MAX))
    throw comparisonError(`they have more than ${COMPARED_LENGTH_MAX} characters`)
  const answer = await ask(question, { owner, timeMaxMs: COMPUTE_TIME_MAX_MS })
  if (answer instanceof Ended) throw comparisonError(`it takes ${excessOf(answer, COMPUTE_TIME_MAX_MS)}`)
  if ('mistake' in answer) throw comparisonError(answer.mistake)
  return answer.value as number
}

const comparisonError = (reason: string): RunError =>
  new RunError(400, 'v0:schemas:invalid-outputs', `The texts cannot be compared: ${reason}`)

const excessOf = ({ reason }: Ended, timeMaxMs: number): string =>
  reason === 'memory' ? 'too much memory' : `more than ${timeMaxMs / 1_000} s`

async function ask(question: Question, asking: { owner: string; timeMaxMs: number }): Promise<Answer | Ended> {
  try {
    return await pool.ask(question, asking)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const { status, message, retryAfterSeconds = 1, cause } = error
    throw new RunError(status, 'v1:sdk:unknown-workflow-invoke-error', message, { retryAfterSeconds, cause })
  }
}
