import { setTimeout as delay } from 'node:timers/promises'
import { type Answer, call } from '../../harness.ts'
import type { Target } from './load.ts'
import type { Random } from './random.ts'
import { faultOfRefusal } from './refusal.ts'

/** What is asked: of spans in every way that reads them differently, of the registry, and a change of it. */
interface Question {
  path: string
  body(random: Random, asked: number): object
}

const spans = (...conditions: object[]) => ({ filtering: { conditions }, windowing: { limit: 20 } })
const attribute = (key: string, operator: string, value: unknown) => ({ field: 'attributes', key, operator, value })
const IS_ROOT = { field: 'parent_id', operator: 'is', value: null }

const QUESTIONS: readonly Question[] = [
  { path: '/api/spans/query', body: () => spans(IS_ROOT) },
  {
    path: '/api/spans/query',
    body: random => spans(attribute('ag.metrics.tokens.cumulative.total', 'gt', random.below(100))),
  },
  { path: '/api/spans/query', body: () => spans({ field: 'content', operator: 'contains', value: 'nobody' }) },
  { path: '/api/traces/query', body: () => spans() },
  { path: '/api/spans/analytics/query', body: () => ({}) },
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
 * Asks while faults happen. An answer is the whole one, or a refusal that says when to ask again; no answer at all is right only
 * from a server that has been killed, which the caller of this cannot tell, so that is not counted.
 */
export class Questions {
  /** The number of answers by status. */
  readonly answers: Record<number, number> = {}
  readonly faults: string[] = []
  readonly #target: Target
  readonly #random: Random
  #asked = 0

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

  async #ask({ path, body }: Question): Promise<void> {
    const { apiUrl, apiKey } = this.#target
    const asked = body(this.#random, this.#asked++)
    const answer = await call(apiUrl, 'POST', path, `ApiKey ${apiKey}`, asked).catch(() => undefined)
    if (!answer) return
    this.answers[answer.status] = (this.answers[answer.status] ?? 0) + 1
    const fault = faultOf(answer)
    if (fault) this.faults.push(`${path} ${JSON.stringify(asked)}: ${fault}`)
  }
}

function faultOf(answer: Answer): string | undefined {
  if (answer.status !== 200) return faultOfRefusal(answer)
  return typeof answer.body?.count === 'number' ? undefined : `200 without a count: ${answer.text.slice(0, 200)}`
}
