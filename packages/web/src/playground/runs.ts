import { ApiError } from '../api/api-error.ts'
import { call, lines } from '../api/client.ts'
import type { Json, JsonObject } from '../api/registry/registry.ts'

/** One run of a column with a row. */
export interface Cell {
  state: 'waiting' | 'running' | 'done' | 'failed'
  /** What has been streamed so far. */
  text: string
  outputs?: Json
  error?: string
  trace_id?: string
  ms?: number
  tokens?: number
  scores: Readonly<Record<string, Score>>
}

/** What an evaluator says of an output. */
export interface Score {
  outputs?: Json
  error?: string
  trace_id?: string
}

export interface RunBody {
  references: JsonObject
  data: JsonObject
}

interface Envelope {
  status: { code: number; message: string }
  trace_id?: string
  span_id?: string
  data?: { outputs?: Json }
}
type StreamEvent = Envelope | { type: string; data: { delta?: string; total?: number; message?: string } }

/** A run that was started, and what ends it. */
interface Run {
  key: string
  leaving: AbortController
}

/** How many runs wait for a model at once: browsers open six connections to a server. */
const AT_ONCE = 4

/** The runs of a playground. Streams change one cell at a time, so that nothing else is drawn again. */
export class Runs {
  readonly #cells = new Map<string, Cell>()
  readonly #listeners = new Set<() => void>()
  readonly #waiting: (() => Promise<void>)[] = []
  /** What ends the newest run of each cell. */
  readonly #leaving = new Map<string, AbortController>()
  #running = 0

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  readonly cell = (key: string): Cell | undefined => this.#cells.get(key)

  /** The number of runs that have not ended. */
  readonly pending = (): number => this.#running + this.#waiting.length

  /** Runs, and then has each evaluator score the output. A run of the same cell that has not ended is given up. */
  start(key: string, body: RunBody, scorings: Readonly<Record<string, Scoring>>): void {
    this.#leaving.get(key)?.abort()
    const leaving = new AbortController()
    this.#leaving.set(key, leaving)
    this.#set(key, { state: 'waiting', text: '', scores: {} })
    this.#waiting.push(() => this.#run({ key, leaving }, body, scorings))
    this.#next()
  }

  /** Ends all runs; what has arrived stays. */
  stop(): void {
    for (const leaving of this.#leaving.values()) leaving.abort()
    this.#waiting.length = 0
    for (const [key, cell] of this.#cells)
      if (cell.state === 'waiting') this.#set(key, { ...cell, state: 'failed', error: 'Stopped.' })
  }

  #next(): void {
    while (this.#running < AT_ONCE) {
      const run = this.#waiting.shift()
      if (run === undefined) return
      this.#running++
      void run().finally(() => {
        this.#running--
        this.#next()
        this.#tell()
      })
    }
  }

  async #run(run: Run, body: RunBody, scorings: Scorings): Promise<void> {
    const { signal } = run.leaving
    // Another run of the cell was started before this one could be.
    if (signal.aborted) return
    const began = performance.now()
    const failed = (error: string, trace_id?: string): void =>
      this.#change(run, { state: 'failed', error, ms: performance.now() - began, ...(trace_id && { trace_id }) })
    this.#change(run, { state: 'running' })
    try {
      const end = await this.#stream(run, body)
      if (end === undefined) return failed('The response ended early.')
      if (end.status.code >= 400) return failed(end.status.message, end.trace_id)
      const outputs = end.data?.outputs ?? null
      const ended = { state: 'done', outputs, ms: performance.now() - began } as const
      this.#change(run, { ...ended, ...(end.trace_id && { trace_id: end.trace_id }) })
      await Promise.all(Object.entries(scorings).map(([id, scoring]) => this.#score(run, id, scoring(end, outputs))))
    } catch (error) {
      if (signal.aborted) failed('Stopped.')
      else failed((error as Error).message, error instanceof ApiError ? error.traceId : undefined)
    }
  }

  /** The whole response, which is the last event. */
  async #stream(run: Run, body: RunBody): Promise<Envelope | undefined> {
    const { signal } = run.leaving
    let text = ''
    let end: Envelope | undefined
    for await (const event of lines<StreamEvent>('/services/invoke', { method: 'POST', body, signal })) {
      if ('status' in event) end = event
      else if (event.type === 'usage') this.#change(run, { tokens: event.data.total ?? 0 })
      else if (event.type === 'message_delta') {
        text += event.data.delta ?? ''
        this.#change(run, { text })
      }
    }
    return end
  }

  async #score(run: Run, evaluator: string, body: JsonObject): Promise<void> {
    const score = await call<Envelope>('/services/invoke', { method: 'POST', body })
      .then((answer): Score => {
        const { data, trace_id } = answer
        return { outputs: data?.outputs ?? null, ...(trace_id && { trace_id }) }
      })
      .catch((error: Error): Score => ({ error: error.message }))
    const scores = this.#cells.get(run.key)?.scores
    if (scores) this.#change(run, { scores: { ...scores, [evaluator]: score } })
  }

  /** What still arrives of a run that another one has followed is nobody's. */
  #change({ key, leaving }: Run, changes: Partial<Cell>): void {
    const cell = this.#cells.get(key)
    if (cell && this.#leaving.get(key) === leaving) this.#set(key, { ...cell, ...changes })
  }

  #set(key: string, cell: Cell): void {
    this.#cells.set(key, cell)
    this.#tell()
  }

  #tell(): void {
    for (const listener of this.#listeners) listener()
  }
}

/** The body of the request that has an evaluator judge a run. */
export type Scoring = (ended: { trace_id?: string; span_id?: string }, outputs: Json) => JsonObject
type Scorings = Readonly<Record<string, Scoring>>
