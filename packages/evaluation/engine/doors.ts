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
  /** Computes metrics of finished scenarios and runs; without it none are computed. */
  metrics?: Metrics
  log: { warn(details: object, message: string): void }
}

/** The project of the work, and the user for whom it is done. */
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
   * Calls it once. Rejects only if the signal aborts or the trace is lost; the status of the result tells whether the
   * call failed. An aborted call leaves no trace.
   */
  call(request: WorkflowCall, signal: AbortSignal): Promise<CallResult>
}

/** The inputs of a call (section 3.5 of the interface). */
export interface WorkflowCall {
  /** 32 hex digits: the call leaves its trace under this id, however often it is repeated. */
  trace_id: string
  inputs: JsonObject | undefined
  /** The outputs that an evaluator judges; undefined if there are none. */
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
  /** The seconds to wait before a retry, if the failure contains them. */
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
  /** `{trace_id, spans}`, the spans nested by name, as evaluators receive them. */
  trace: JsonObject
}

/** A trace as it is stored. */
export interface StoredTrace extends TracedCall {
  inputs: JsonObject | undefined
  /** The error of the root span, if it failed. */
  failure: CallStatus | undefined
}

/** Traces to reuse are looked up by the hashes of their references and links. */
export interface HashLookup {
  hashes: readonly Uuid[]
  /** The revision that all of these traces refer to, so that those of other revisions are not even read. */
  revision_id: Uuid
  countMax: number
}

/** The traces of a project. */
export interface StoredTraces {
  /**
   * The stored traces with these ids (32 hex digits), including all that were durable in the stream at the time of the
   * call. Waits until these are stored, for some minutes.
   */
  read(project_id: Uuid, trace_ids: readonly string[], signal: AbortSignal): Promise<Map<string, StoredTrace>>
  /** The newest traces without errors for each of these hashes, up to a limit for each. */
  findByHash(project_id: Uuid, asked: HashLookup): Promise<Map<Uuid, StoredTrace[]>>
  /**
   * The ids of all traces that a saved query finds, in its order and within its window. Throws a Problem for a query
   * that is not valid.
   */
  query(project_id: Uuid, saved: JsonObject): Promise<string[]>
  /** The hash that the root span of a call with these references and links is stored with. */
  hashOf(references: JsonObject, links: Readonly<Record<string, SpanPlace>>): Uuid | undefined
}
