import { isSmall, type Json, type Micros, microsNow, type SpanId, type TraceId } from '@spanhouse/model'
import type { Handler } from '../handler.ts'
import type { Means, Run, RunEvent } from '../run.ts'
import { RunError } from '../run-error.ts'
import { OUTPUT_BYTES_MAX } from './limits.ts'
import { randomHex } from './random-hex.ts'
import { commonAttributes, rootSpan } from './root-span.ts'
import { RunClock } from './run-clock.ts'
import { failureOf, isDefect, type RunStatus, SUCCESS, statusOf } from './run-failure.ts'
import { effectiveInputs, type RunRequest } from './run-request.ts'
import { jsonBytes, type RunSpan, RunTrace } from './run-trace.ts'

/** What `openMeans` gets: calls record spans in the trace, and are cancelled by the signal. */
export interface RunContext {
  trace: RunTrace
  signal: AbortSignal
  /** The model's finish reason, if one was called; part of the last event of a stream. */
  finishReason?: string
  /**
   * Says in a sentence what the run waits for, for the case that its time is up before; undefined: nothing any more.
   */
  wait(sentence: string | undefined): void
}

export interface InvokeOptions {
  openMeans(context: RunContext): Means
  /** Stores the spans of the run after its end. Its failure does not fail the run. */
  record(spans: RunSpan[]): Promise<void>
  /** Aborted when the caller disconnects. */
  signal: AbortSignal
  /** Called with each event before the result, only if the request asks for a stream. */
  onEvent?(event: RunEvent): void
  /** Called with errors that are defects, whose details the caller does not get. */
  onDefect?(error: unknown): void
  clock?(): Micros
}

/** A run that has been started. */
export interface Invocation {
  trace_id: TraceId
  span_id: SpanId
  session_id: string
  /** Never rejects: an error is a status. */
  result: Promise<RunResult>
}

export interface RunResult {
  status: RunStatus
  /** Absent on errors. */
  outputs?: Json
  /** Resolves when `record` has settled: after that the trace can be read. Never rejects. */
  recorded: Promise<void>
}

/**
 * Runs a handler once. The run starts after this function has returned its ids. It is limited in time and output, ends
 * when the caller disconnects, and leaves exactly one trace in every case.
 */
export function invoke(handler: Handler, request: RunRequest, options: InvokeOptions): Invocation {
  const session_id = request.sessionId ?? randomHex(16)
  const common = commonAttributes(request.labels, session_id)
  const { clock = microsNow } = options
  const trace = new RunTrace({ trace_id: request.trace_id, parent: request.parent, common, clock, failureOf })
  const { trace_id, span_id } = trace
  const result = Promise.resolve().then(() => runOnce(handler, request, { ...options, trace, session_id }))
  return { trace_id, span_id, session_id, result }
}

interface Started extends InvokeOptions {
  trace: RunTrace
  session_id: string
}

async function runOnce(handler: Handler, request: RunRequest, started: Started): Promise<RunResult> {
  const { trace, onEvent, onDefect } = started
  const clock = new RunClock(started.signal, request.isStreamed)
  const wait = (sentence: string | undefined): void => {
    clock.waiting = sentence
  }
  const context: RunContext = { trace, signal: clock.signal, wait }
  const tell = new Telling(request.isStreamed ? onEvent : undefined, clock)
  let outcome: { outputs?: Json; error?: unknown }
  try {
    const run = runOf(request, { ...started, context, emit: tell.emit })
    const outputs = await clock.bound(() => startRun(handler, run))
    await refuseTooLarge(outputs)
    outcome = { outputs }
  } catch (error) {
    if (isDefect(error)) onDefect?.(error)
    outcome = { error }
  } finally {
    clock.stop()
  }
  const status = 'error' in outcome ? statusOf(outcome.error) : SUCCESS
  tell.end(status, { stopReason: context.finishReason ?? 'stop', traceId: trace.trace_id })
  const { outputs } = outcome
  return { status, outputs, recorded: record(handler, request, { ...started, outcome }) }
}

function startRun({ key, run }: Handler, given: Run): Promise<Json> | Json {
  if (run) return run(given)
  throw new RunError(400, 'v0:interface:invalid-uri', `The handler '${key}' cannot be invoked.`)
}

interface RunGiven extends Started {
  context: RunContext
  emit(event: RunEvent): void
}

function runOf(request: RunRequest, { context, emit, openMeans, session_id }: RunGiven): Run {
  const { parameters, outputs, trace, testcase, revision, flags, labels, isStreamed } = request
  return {
    parameters,
    inputs: effectiveInputs(request),
    outputs,
    trace,
    testcase,
    revision,
    flags: { ...flags, stream: isStreamed, trim: flags.trim === true, force: flags.force === true },
    labels,
    sessionId: session_id,
    signal: context.signal,
    means: openMeans(context),
    emit,
  }
}

async function refuseTooLarge(outputs: Json): Promise<void> {
  if (isSmall(outputs) || (await jsonBytes(outputs, OUTPUT_BYTES_MAX)) <= OUTPUT_BYTES_MAX) return
  throw new RunError(
    400,
    'v0:schemas:invalid-outputs',
    `The outputs are larger than ${OUTPUT_BYTES_MAX} bytes of JSON, which is the most that a run may return.`,
  )
}

/** Forwards events until the run ends, and adds the last one. A run without events has only its result. */
class Telling {
  readonly #onEvent: ((event: RunEvent) => void) | undefined
  readonly #clock: RunClock
  #isOver = false
  /** Whether `done` is still to come. */
  #isOpen = false

  constructor(onEvent: ((event: RunEvent) => void) | undefined, clock: RunClock) {
    this.#onEvent = onEvent
    this.#clock = clock
  }

  /** Events after the end, from a handler that ignored its signal, are dropped. */
  readonly emit = (event: RunEvent): void => {
    if (this.#isOver) return
    this.#clock.heard()
    this.#isOpen = event.type !== 'done'
    this.#onEvent?.(event)
  }

  end({ code, message }: RunStatus, done: { stopReason: string; traceId: string }): void {
    if (code >= 400) this.emit({ type: 'error', data: { message } })
    else if (this.#isOpen) this.emit({ type: 'done', data: done })
    this.#isOver = true
  }
}

async function record(
  handler: Handler,
  request: RunRequest,
  { trace, record, outcome, onDefect }: Started & { outcome: { outputs?: Json; error?: unknown } },
): Promise<void> {
  try {
    const failure = 'error' in outcome ? failureOf(outcome.error) : undefined
    await record(await trace.end(rootSpan(handler, request, { outputs: outcome.outputs, failure })))
  } catch (error) {
    onDefect?.(error)
  }
}
