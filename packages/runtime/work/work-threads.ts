import { isSmall, Problem, renderText } from '@spanhouse/model'
import { codePointLength } from '../code-points.ts'
import type { TemplateFormat } from '../prompt/template.ts'
import type { Means } from '../run.ts'
import { RunError } from '../run-error.ts'
import { Ended, ThreadPool } from '../threads/thread-pool.ts'
import type { searchTexts } from './search-texts.ts'
import { WORK, type Work, type WorkName } from './work.ts'

/** A question to a thread: the arguments as JSON text, which keeps large integers exact. */
export interface Question {
  name: WorkName | 'searchTexts'
  args: string
}

/** `mistake`: why the question has no answer. */
export type Answer = { value: unknown } | { mistake: string }

/** The time for compiling a pattern and searching all texts of a question. */
const SEARCH_TIME_MAX_MS = 1_000
/** The time for one call of a function of `work.ts`. */
const COMPUTE_TIME_MAX_MS = 5_000
/** The length of each compared text, in characters. */
export const COMPARED_LENGTH_MAX = 1_048_576
/** A character has at most two units, so most texts need not be counted. */
const isTooLong = (text: string): boolean =>
  text.length > COMPARED_LENGTH_MAX &&
  (text.length > 2 * COMPARED_LENGTH_MAX || codePointLength(text) > COMPARED_LENGTH_MAX)
/** Up to this many pairs of characters a comparison costs no more than a thread's round trip, or little more. */
const PAIRS_ON_LOOP_MAX = 1_200_000
/** Added to the length of each text, since reading it has a cost too. */
const LENGTH_BASE = 64
/** Pairs of characters that a search compares at worst, of which there are some two per nanosecond. */
const SOUGHT_PAIRS_ON_LOOP_MAX = 16_000_000
/** The length of all templates together. */
const TEMPLATES_ON_LOOP_LENGTH_MAX = 16_384

/** Tags begin with one brace or two. So many may each print all of a context that is just small enough. */
const BRACES_ON_LOOP = 16

/** How many times the length of a context that is small enough the rendered texts may have. */
const copiesIn = (templates: readonly string[]): number =>
  Math.max(1, templates.reduce((sum, template) => sum + template.split('{').length - 1, 0) / BRACES_ON_LOOP)

/** Whether a path may select descendants of descendants. */
const mayDescend = (template: string): boolean => template.includes('$') && template.includes('..')

/** Whether a template may loop, which multiplies; so do steps to all descendants in a JSONPath. */
const MAY_MULTIPLY: Record<TemplateFormat, (template: string) => boolean> = {
  mustache: template => template.includes('#') || mayDescend(template),
  curly: mayDescend,
  fstring: () => false,
  jinja2: () => true,
}

const pool = new ThreadPool<Question, Answer>({
  module: new URL('./work-thread.ts', import.meta.url),
  threadsMax: 2,
  waitingMax: 1_000,
  overloaded: 'Too many texts are being searched, compared or rendered.',
})

/** How calls of one function are handled. */
interface Rule<Name extends WorkName> {
  /** Whether a call is so short that it needs no thread. */
  isShort(...args: Parameters<Work[Name]>): boolean
  /** Why a call is rejected; undefined if it is not. */
  excess?(...args: Parameters<Work[Name]>): string | undefined
  /** The error for a call that is rejected or has no answer. */
  error(reason: string): RunError
}

const comparison: Rule<'editDistance' | 'matchingRatio'> = {
  isShort: (a, b) => (a.length + LENGTH_BASE) * (b.length + LENGTH_BASE) <= PAIRS_ON_LOOP_MAX,
  excess: (...texts) => (texts.some(isTooLong) ? `they exceed ${COMPARED_LENGTH_MAX} characters` : undefined),
  error: reason => new RunError(400, 'v0:schemas:invalid-outputs', `The texts cannot be compared: ${reason}`),
}

const RULES: { [Name in WorkName]: Rule<Name> } = {
  containsTexts: {
    isShort: (text, sought) =>
      text.length * sought.reduce((sum, one) => sum + one.length, 0) <= SOUGHT_PAIRS_ON_LOOP_MAX,
    error: reason => new RunError(400, 'v0:schemas:invalid-outputs', `The texts cannot be searched: ${reason}`),
  },
  editDistance: comparison,
  matchingRatio: comparison,
  renderTemplates: {
    isShort: (format, templates, context) =>
      !templates.some(MAY_MULTIPLY[format]) &&
      templates.reduce((sum, template) => sum + template.length, 0) <= TEMPLATES_ON_LOOP_LENGTH_MAX &&
      isSmall(context, copiesIn(templates)),
    error: reason =>
      new RunError(400, 'v0:workflows:prompt-formatting-error', `The prompt cannot be rendered: ${reason}`),
  },
}

const patternError = (reason: string): RunError =>
  new RunError(400, 'v0:workflows:regex-pattern-error', `The regular expression cannot be used: ${reason}`)

/** Patterns, comparisons and templates for the runs of one owner, in threads that owners use in turn. */
export const workMeans = (owner: string): Pick<Means, 'searchTexts' | 'compute'> => ({
  searchTexts: (...args: Parameters<typeof searchTexts>) =>
    ask<boolean[]>('searchTexts', args, { owner, timeMaxMs: SEARCH_TIME_MAX_MS, error: patternError }),
  compute: (name, ...args) => compute(name, args, owner),
})

async function compute<Name extends WorkName>(
  name: Name,
  args: Parameters<Work[Name]>,
  owner: string,
): Promise<ReturnType<Work[Name]>> {
  const call = WORK[name] as (...args: unknown[]) => unknown
  const { isShort, excess, error }: Rule<Name> = RULES[name]
  if (isShort(...args)) return call(...args) as ReturnType<Work[Name]>
  const reason = excess?.(...args)
  if (reason !== undefined) throw error(reason)
  return ask(name, args, { owner, timeMaxMs: COMPUTE_TIME_MAX_MS, error })
}

interface Asking {
  owner: string
  timeMaxMs: number
  error(reason: string): RunError
}

async function ask<T>(name: Question['name'], args: readonly unknown[], asking: Asking): Promise<T> {
  const answer = await answerOf({ name, args: await jsonOf(args) }, asking)
  if (answer instanceof Ended) throw asking.error(excessOf(answer, asking))
  if ('mistake' in answer) throw asking.error(answer.mistake)
  return answer.value as T
}

const excessOf = ({ reason }: Ended, { timeMaxMs }: Asking): string =>
  reason === 'memory' ? 'it takes too much memory' : `it takes more than ${timeMaxMs / 1_000} s`

/** Yields to other work while it writes the text of large values. */
async function jsonOf(args: readonly unknown[]): Promise<string> {
  if (isSmall(args)) return JSON.stringify(args)
  let text = ''
  for await (const piece of renderText(args)) text += piece
  return text
}

async function answerOf(question: Question, asking: Asking): Promise<Answer | Ended> {
  try {
    return await pool.ask(question, asking)
  } catch (error) {
    // As it comes from the thread, which has ended.
    if (error instanceof Error && 'code' in error && error.code === 'ENGINE_BROKEN') return { mistake: error.message }
    if (!(error instanceof Problem)) throw error
    const { status, message, retryAfterSeconds = 1, cause } = error
    throw new RunError(status, 'v1:sdk:unknown-workflow-invoke-error', message, { retryAfterSeconds, cause })
  }
}
