import type { Json, JsonObject } from '@spanhouse/model'
import type { Work, WorkName } from './work/work.ts'

/**
 * What a handler is given for one run: what the caller sent and what the references resolved to. Embeds are resolved, and
 * `inputs` are unwrapped once when they are what a trace stores (`{inputs: {...}}`).
 */
export interface Run {
  /** The effective configuration; empty when there is none. */
  parameters: JsonObject
  /** Undefined when the caller sent none. A chat history that was sent beside it is in `inputs.messages`. */
  inputs: JsonObject | undefined
  /** What is judged. Undefined when absent; null is a value. */
  outputs: Json | undefined
  /** The trace of what is judged. */
  trace: JsonObject | undefined
  testcase: JsonObject | undefined
  /** The data of the revision that runs: `uri`, `url`, `headers`, `runtime`, `script`, `schemas` and `parameters`. */
  revision: JsonObject
  flags: RunFlags
  sessionId: string
  /** Aborted when the caller has gone away or the run has taken too long. Whatever waits must listen to it. */
  signal: AbortSignal
  means: Means
  /** Passes on what the caller may see before the result. It is ignored when nobody asked for a stream. */
  emit(event: RunEvent): void
}

/** The commands among the request's flags. */
export interface RunFlags {
  stream: boolean
  trim: boolean
  force: boolean
}

/** What a run may show before its result (contract of the runtime, section 8.7). */
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
 * What a run reaches the outside world with. The server gives real ones, bound to the project whose run it is; each call
 * that is worth seeing leaves a span in the run's trace.
 */
export interface Means {
  /**
   * Calls the first configuration whose call succeeds, by the rules of retry and fallback that the plan states. Every
   * attempt leaves a span. Text and tool calls are emitted as they arrive when `onEvent` is given.
   *
   * Throws a {@link RunError}: `invalid-secrets`, `unknown-connection` or `connection-model-mismatch` without a usable
   * key, else the error of the last attempt with the provider's status in `providerStatus`.
   */
  chat(plan: ChatPlan, onEvent?: (event: RunEvent) => void): Promise<ChatAnswer>
  /** One vector for each text. Throws as `chat` does. */
  embed(call: { model: string; connection?: string; texts: readonly string[] }): Promise<number[][]>
  /** Runs a caller's `evaluate` in the sandbox. Throws a {@link RunError} when it fails, with the line of the source. */
  evaluate(code: { runtime: string; source: string; arguments: readonly Json[] }): Promise<Json>
  /** Posts JSON to an address that a caller chose. Throws a {@link RunError} when it is refused or does not answer. */
  post(request: PostRequest): Promise<PostReply>
  /**
   * Whether a pattern in Python's dialect is found in each text. Throws a {@link RunError} `regex-pattern-error` for one that
   * is malformed or takes too long.
   */
  searchTexts(pattern: { source: string; ignoreCase: boolean }, texts: readonly string[]): Promise<boolean[]>
  /**
   * Runs a pure but expensive function of `work.ts`, off the event loop when its input is large. Throws a {@link RunError}
   * 400 for what is too large or takes too long.
   */
  compute<Name extends WorkName>(name: Name, ...args: Parameters<Work[Name]>): Promise<ReturnType<Work[Name]>>
}

/** What is sent to a model, and which configurations are tried, in order. */
export interface ChatPlan {
  /** In the shape of OpenAI's chat messages, templates rendered. */
  messages: readonly JsonObject[]
  /** The primary `llm_config` and its fallbacks, checked. */
  configs: readonly ChatConfig[]
  fallbackPolicy?: Policy
  retryPolicy?: Policy
  /** Times that a failed call is repeated with the same configuration. */
  retriesMax?: number
  /** Wait before the first retry; each further one waits twice as long. */
  retryDelayMs?: number
}

export type Policy = 'off' | 'availability' | 'capacity' | 'transient' | 'access' | 'context' | 'any'

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
  headers?: JsonObject
  body: JsonObject
  timeoutMs: number
  /** What goes wrong is reported under these. */
  fragments: { refused: string; failed: string }
}

export interface PostReply {
  status: number
  text: string
}
