import type { Json, JsonObject, SpanId, TraceId } from '@spanhouse/model'
import type { AttemptRules } from '@spanhouse/models'
import type { ErrorType } from './error-types.ts'
import type { Work, WorkName } from './work/work.ts'

/**
 * The arguments of a handler for one run: what the caller sent, and the revision that its references identify. Embeds
 * are resolved, and `inputs` in the form that traces store (`{inputs: {...}}`) are unwrapped once.
 */
export interface Run {
  /** The effective configuration; empty if there is none. */
  parameters: JsonObject
  /** Undefined if the caller sent none. A chat history that was sent separately is in `inputs.messages`. */
  inputs: JsonObject | undefined
  /** The output to evaluate. Undefined if absent; null is a value. */
  outputs: Json | undefined
  /** The trace of the output to evaluate. */
  trace: JsonObject | undefined
  testcase: JsonObject | undefined
  /** The data of the revision that runs: `uri`, `url`, `headers`, `runtime`, `script`, `schemas` and `parameters`. */
  revision: JsonObject
  flags: RunFlags
  labels: RunLabels
  sessionId: string
  /** Aborted when the caller disconnects or the run exceeds its time. Everything that waits must observe it. */
  signal: AbortSignal
  means: Means
  /** Sends an event to the caller before the result. Ignored unless a stream was requested. */
  emit(event: RunEvent): void
}

/** All flags of the request. Only these three are commands to handlers. */
export interface RunFlags extends JsonObject {
  stream: boolean
  trim: boolean
  force: boolean
}

/** What a request says about a run. It has no effect on the run, and is recorded in its trace. */
export interface RunLabels {
  /** By reference key: those that the caller sent, and those used to resolve them. */
  references: JsonObject
  selector?: JsonObject
  /** By name. */
  links: Readonly<Record<string, { trace_id: TraceId; span_id: SpanId }>>
  tags?: JsonObject
  meta?: JsonObject
  /** Entries of the caller's baggage whose keys begin with `ag.`. */
  baggage: Readonly<Record<string, string>>
}

/** An event of a run before its result (contract of the runtime, section 8.7). */
export type RunEvent =
  | { type: 'message'; data: { text: string } }
  | { type: 'message_start' | 'message_end' | 'thought_start' | 'thought_end'; data: { id: string } }
  | { type: 'message_delta' | 'thought_delta'; data: { id: string; delta: string } }
  | { type: 'thought'; data: { text: string } }
  | { type: 'tool_call'; data: { id: string; name: string; input: Json; rawInput?: string } }
  | { type: 'tool_result'; data: { id: string; output: Json; isError?: boolean; denied?: boolean } }
  | {
      type: 'interaction_request' | 'interaction_response'
      data: { id: string; kind: 'user_approval' | 'user_input' | 'client_tool'; payload: Json }
    }
  | { type: 'data'; data: { name: string; data: Json; transient?: boolean } }
  | { type: 'file'; data: { url: string; mediaType: string } }
  | { type: 'usage'; data: { input?: number; output?: number; total?: number; cost?: number } }
  | { type: 'error'; data: { message: string } }
  | { type: 'done'; data: { stopReason: string; traceId?: string } }

/**
 * How a run reaches anything outside itself. The server provides the implementation, bound to the run's project; calls
 * to other services record a span in the run's trace.
 */
export interface Means {
  /**
   * Calls the plan's configurations until one succeeds, by its retry and fallback policies. Every attempt records a
   * span. If `onEvent` is given, it receives text and tool calls as they arrive.
   *
   * Throws a `RunError`: `invalid-secrets`, `unknown-connection` or `connection-model-mismatch` without a usable
   * key, else the error of the last attempt with the provider's status in `providerStatus`.
   */
  chat(plan: ChatPlan, onEvent?: (event: RunEvent) => void): Promise<ChatAnswer>
  /** Throws as `chat` does if there is no usable key for the model. */
  requireKey(config: Pick<ChatConfig, 'model' | 'connection'>): Promise<void>
  /** One vector for each text. Throws as `chat` does. */
  embed(call: { model: string; connection?: string; texts: readonly string[] }): Promise<number[][]>
  /**
   * Runs a caller's `evaluate` in the sandbox. Throws a `RunError` when it fails, with the line of the source.
   */
  evaluate(code: { runtime: string; source: string; arguments: readonly Json[] }): Promise<Json>
  /**
   * Posts JSON to an address that a caller chose. Throws a `RunError` if the address or a header is rejected, or
   * the request fails.
   */
  post(request: PostRequest): Promise<PostReply>
  /**
   * Whether a pattern in Python's dialect matches somewhere in each text. Throws a `RunError`
   * `regex-pattern-error` if it is malformed or takes too long.
   */
  searchTexts(pattern: { source: string; ignoreCase: boolean }, texts: readonly string[]): Promise<boolean[]>
  /**
   * Runs a pure but expensive function of `work.ts`, in a thread if its input is large. Throws a `RunError` 400
   * if the input is too large or takes too long.
   */
  compute<Name extends WorkName>(name: Name, ...args: Parameters<Work[Name]>): Promise<ReturnType<Work[Name]>>
}

/** The messages for a model, the configurations to try, in order, and what happens when a call fails. */
export interface ChatPlan extends AttemptRules {
  /** In the shape of OpenAI's chat messages, templates rendered. */
  messages: readonly JsonObject[]
  /** The primary `llm_config` and its fallbacks, checked. */
  configs: readonly ChatConfig[]
}

/** One `llm_config`: only the members that are set are sent to the provider. */
export interface ChatConfig {
  model: string
  /** Slug of a stored connection. */
  connection?: string
  options: JsonObject
}

export interface ChatAnswer {
  /** `{role: 'assistant', content?, refusal?, tool_calls?}`. */
  message: JsonObject
  /** The model that answered, as the provider names it. */
  model: string
  finishReason: string
  usage: { prompt: number; completion: number; total: number; cost?: number }
}

export interface PostRequest {
  url: string
  /** `host`, `content-length`, `content-type` and `traceparent` are ignored. */
  headers?: Record<string, string>
  body: JsonObject
  timeoutMs: number
  /** The error types of a rejected address or header, and of a failed request. */
  fragments: { refused: ErrorType; failed: ErrorType }
}

export interface PostReply {
  status: number
  text: string
}
