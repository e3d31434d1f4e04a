import type { Json, JsonObject, Uuid } from '@spanhouse/model'
import type { Database } from '@spanhouse/postgres'
import type { RuntimeSettings } from '@spanhouse/runtime'
import type { Metrics } from '../scope.ts'

/** What the engine needs of the program around it. */
export interface EngineParts {
  db: Database
  runtime: RuntimeSettings
  workflows: Workflows
  traces: StoredTraces
  /** Computes metrics of what is finished; without it there are none. */
  metrics?: Metrics
  log: { warn(details: object, message: string): void }
}

/** Whose work is done: in which project, and for whom. */
export interface Owner {
  project_id: Uuid
  user_id: Uuid | null
}

/** Makes revisions callable. */
export interface Workflows {
  /**
   * Prepares the calls of a revision with this data: embeds are resolved and the handler is chosen, once for all calls.
   * Throws a `RunError` or a Problem for a revision that cannot be called.
   */
  open(owner: Owner, revision: { id: Uuid; data: JsonObject }): Promise<Workflow>
}

/** A revision that can be called any number of times at once. */
export interface Workflow {
  /**
   * Calls it once. Rejects only if the signal aborts or the trace is lost; a call that failed has a status. A call that
   * the signal cuts off leaves no trace.
   */
  call(request: WorkflowCall, signal: AbortSignal): Promise<CallResult>
}

/** What a workflow is called with (section 3.5 of the interface). */
export interface WorkflowCall {
  /** 32 hex digits: the call leaves its trace under this id, however often it is repeated. */
  trace_id: string
  inputs: JsonObject | undefined
  /** What an evaluator judges; undefined when there is nothing. */
  outputs: Json | undefined
  trace: JsonObject | undefined
  testcase: JsonObject | undefined
  flags: JsonObject
  references: JsonObject
  links: Readonly<Record<string, SpanPlace>>
}

export interface SpanPlace {
  trace_id: string
  span_id: string
}

/** How a call ended, as the envelope of an invocation shows it: `code` 200 is success. */
export interface CallStatus extends JsonObject {
  code: number
  message: string
}

export interface CallResult {
  status: CallStatus
  /** After how many seconds it may succeed, when the failure says so. */
  retryAfterSeconds?: number
  traced: TracedCall
  /** Resolves when the trace is durable; rejects when it is lost. */
  recorded: Promise<void>
}

/** A call as its trace shows it. */
export interface TracedCall {
  /** Its root. */
  place: SpanPlace
  outputs: Json | undefined
  /** `{trace_id, spans}`, the spans by name and nested: what evaluators are given. */
  trace: JsonObject
}

/** A trace as it is stored. */
export interface StoredTrace extends TracedCall {
  inputs: JsonObject | undefined
  /** How the root ended, when it failed. */
  failure: CallStatus | undefined
}

/** The traces of a project. */
export interface StoredTraces {
  /**
   * Those of the traces with these ids (32 hex digits) that are there, including all that were durable when this was
   * called. Waits for them as long as it takes to store them.
   */
  read(project_id: Uuid, trace_ids: readonly string[], signal: AbortSignal): Promise<Map<string, StoredTrace>>
  /** The newest traces without errors with each of these hashes, so many of each at most. */
  findByHash(project_id: Uuid, hashes: readonly Uuid[], countMax: number): Promise<Map<Uuid, StoredTrace[]>>
  /**
   * The ids of all traces that a saved query finds, in its order and within its window. Throws a Problem for a query that
   * is not valid.
   */
  query(project_id: Uuid, saved: JsonObject): Promise<string[]>
  /** The hash that the root span of a call with these references and links is stored with. */
  hashOf(references: JsonObject, links: Readonly<Record<string, SpanPlace>>): Uuid | undefined
}
