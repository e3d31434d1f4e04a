/** What one span of the shop does; the steps in it follow each other. */
export interface Step {
  name: string
  type: 'agent' | 'workflow' | 'chain' | 'task' | 'tool' | 'chat' | 'query' | 'embedding' | 'rerank'
  /** Milliseconds of its own, besides those of its steps. */
  ms: number
  inputs?: unknown
  outputs?: unknown
  /** Of a call of a model. */
  usage?: { model: string; prompt: number; completion: number }
  /** The message of the exception it ends with. */
  fails?: string
  steps?: Step[]
}

/** A trace of the shop. */
export interface Visit {
  service: string
  environment: 'production' | 'staging'
  user: string
  session?: string
  /** Milliseconds since 1970. */
  at: number
  step: Step
}
