import { setTimeout as delay } from 'node:timers/promises'
import { type Answer, call } from '../../harness.ts'
import type { Target } from './load.ts'
import type { Random } from './random.ts'
import { faultOfRefusal } from './refusal.ts'

interface Question {
  path: string
  body(random: Random, asked: number): object
  /**
   * Something in the answer that never decreases, since nothing is deleted: if it does, a part of the answer is
   * missing.
   */
  growing?(body: Answer['body']): number
}

const spans = (...conditions: object[]) => ({ filtering: { conditions }, windowing: { limit: 20 } })
const attribute = (key: string, operator: string, value: unknown) => ({ field: 'attributes', key, operator, value })
const IS_ROOT = { field: 'parent_id', operator: 'is', value: null }

const DURATION = 'attributes.ag.metrics.duration.cumulative'
const DAY_MS = 86_400_000
const daysAhead = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString()
/** Of all spans of the load, which are of its time. */
const windowing = { oldest: daysAhead(-1), newest: daysAhead(1) }
const countOf = (body: Answer['body']): number => body.count

/** Of spans in every way that reads them differently, of the registry, and a change of it. */
const QUESTIONS: readonly Question[] = [
  { path: '/api/spans/query', body: () => spans(IS_ROOT), growing: countOf },
  {
    path: '/api/spans/query',
    body: random => spans(attribute('ag.metrics.tokens.cumulative.total', 'gt', random.below(100))),
  },
  { path: '/api/spans/query', body: () => spans({ field: 'content', operator: 'contains', value: 'nobody' }) },
  { path: '/api/traces/query', body: () => spans(), growing: countOf },
  {
    path: '/api/spans/analytics/query',
    body: () => ({ windowing, specs: [{ type: 'numeric/continuous', path: DURATION }] }),
    growing: body => body.buckets[0]?.metrics[DURATION].count ?? 0,
  },
  { path: '/api/spans/sessions/query', body: () => ({}) },
  { path: '/api/evaluations/runs/query', body: () => ({}) },
  { path: '/api/applications/query', body: () => ({}) },
  {
    path: '/api/testsets/',
    body: (random, asked) => ({ testset: { slug: `asked-${asked}-${random.hex(12)}`, name: 'asked', data: {} } }),
  },
]

/** At once. */
const ASKERS = 4
const PAUSE_MS = 50

/**
 * Asks while faults happen. Each answer must be complete, or a refusal that says why and when to ask again. Requests
 * without any answer are not counted: that is what a killed server looks like.
 */
export class Questions {
  /** The number of answers by status. */
  readonly answers: Record<number, number> = {}
  readonly faults: string[] = []
  readonly #target: Target
  readonly #random: Random
  #asked = 0
  /** The most that was counted in answers to a question. */
  readonly #most = new Map<Question, number>()

  constructor(target: Target, random: Random) {
    this.#target = target
    this.#random = random
  }

  async run(ended: AbortSignal): Promise<void> {
    const ask = async (): Promise<void> => {
      while (!ended.aborted) {
        await this.#ask(this.#random.pick(QUESTIONS))
        await delay(PAUSE_MS)
      }
    }
    await Promise.all(Array.from({ length: ASKERS }, ask))
  }

  async #ask(question: Question): Promise<void> {
    const { apiUrl, apiKey } = this.#target
    const { path, body } = question
    const asked = body(this.#random, this.#asked++)
    const before = this.#most.get(question) ?? 0
    const answer = await call(apiUrl, 'POST', path, `ApiKey ${apiKey}`, asked).catch(() => undefined)
    if (!answer) return
    this.answers[answer.status] = (this.answers[answer.status] ?? 0) + 1
    const fault = answer.status === 200 ? this.#faultOf(question, answer, before) : faultOfRefusal(answer)
    if (fault) this.faults.push(`${path} ${JSON.stringify(asked)}: ${fault}`)
  }

  #faultOf(question: Question, { body, text }: Answer, before: number): string | undefined {
    if (typeof body?.count !== 'number') return `200 without a count: ${text.slice(0, 200)}`
    const found = question.growing?.(body) ?? 0
    if (found < before) return `${found} after ${before}: ${text.slice(0, 200)}`
    this.#most.set(question, Math.max(found, this.#most.get(question) ?? 0))
    return undefined
  }
}
