import type { Violation } from '@spanhouse/model'
import { Ended, ThreadPool } from '../threads/thread-pool.ts'

/** JSON texts. Without a value: is the schema well-formed? With one: is the value as the schema says? */
export interface Question {
  schema: string
  value?: string
}

export interface Answer {
  /** See `schemaMistake`. */
  mistake?: string | null
  violations?: Violation[]
}

/** Why there is no answer: what took longer than it may, or more memory. */
export type Failure = 'compiling' | 'checking' | 'memory'
export const STAGES = { compiling: 0, checking: 1 } as const

/** For compiling a schema and checking a value against it. */
const TIME_MAX_MS = 1_000

const pool = new ThreadPool<Question, Answer>({
  module: new URL('./schema-thread.ts', import.meta.url),
  threadsMax: 2,
  waitingMax: 100,
  overloaded: 'Too many JSON schemas are being checked.',
})

/**
 * Asks in a thread that is ended when it does not answer in time: schemas and patterns of callers can be made to take
 * for ever. Throws a Problem `overloaded` when too many questions of the owner wait.
 */
export async function askThread(question: Question, owner: string): Promise<Answer | Failure> {
  const answer = await pool.ask(question, { owner, timeMaxMs: TIME_MAX_MS })
  if (!(answer instanceof Ended)) return answer
  if (answer.reason === 'memory') return 'memory'
  return answer.stage === STAGES.checking ? 'checking' : 'compiling'
}
