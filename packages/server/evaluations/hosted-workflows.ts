import { setTimeout as delay } from 'node:timers/promises'
import type { Authenticator, ProjectPrincipal } from '@spanhouse/access'
import type { CallResult, CallStatus, Owner, Workflow, WorkflowCall, Workflows } from '@spanhouse/evaluation'
import { type JsonObject, microsToIso, Problem, type Uuid } from '@spanhouse/model'
import { type Handler, invoke, RunError, type RunSpan, UNKNOWN_ERROR } from '@spanhouse/runtime'
import type { Logger } from 'pino'
import { envelopeOf } from '../services/envelope.ts'
import { revisionOf } from '../services/prepare.ts'
import type { Services } from '../services/run.ts'
import type { Shares } from '../shares/shares.ts'
import { plainTree } from './plain-tree.ts'

/** After a call was refused a slot: without a pause nothing else would happen in the process, and no slot be free. */
const REFUSED_MS = 1_000

export interface HostedWorkflowsParts {
  services: Services
  authenticator: Pick<Authenticator, 'workerFor'>
  shares: Shares
  log: Pick<Logger, 'error'>
}

/**
 * Runs revisions as the hosted services do, in this process and without a request: the same preparation, handlers,
 * limits and traces. A revision with an address of its own is called there, by the handler of hooks.
 */
export class HostedWorkflows implements Workflows {
  readonly #parts: HostedWorkflowsParts

  constructor(parts: HostedWorkflowsParts) {
    this.#parts = parts
  }

  async open(owner: Owner, { data }: { id: Uuid; data: JsonObject }): Promise<Workflow> {
    const principal = await this.#principalOf(owner)
    const { registry } = this.#parts.services
    const asked = { references: undefined, selector: undefined, flags: undefined, data: { revision: data } }
    const { effective, handler } = await revisionOf({ registry, principal }, asked, undefined)
    return { call: (request, signal) => this.#call({ principal, handler, effective }, request, signal) }
  }

  async #principalOf({ project_id, user_id }: Owner): Promise<ProjectPrincipal> {
    const principal = user_id === null ? null : await this.#parts.authenticator.workerFor(user_id, project_id)
    if (principal?.role) return principal
    throw new RunError(403, UNKNOWN_ERROR, 'The user who started this is no longer a member of the project.')
  }

  async #call(opened: Opened, request: WorkflowCall, signal: AbortSignal): Promise<CallResult> {
    const giveBack = await this.#untilSlot(opened.principal, signal)
    try {
      return await this.#callNow(opened, request, signal)
    } finally {
      giveBack()
    }
  }

  /** A request would be refused after some seconds, or at once if too many wait; this waits until it is its turn. */
  async #untilSlot(principal: ProjectPrincipal, signal: AbortSignal): Promise<() => void> {
    for (;;)
      try {
        return await this.#parts.shares.take('evaluate', principal, signal)
      } catch (error) {
        if (signal.aborted || !(error instanceof Problem && error.retryable)) throw error
        await delay(REFUSED_MS, undefined, { signal })
      }
  }

  async #callNow({ principal, handler, effective }: Opened, request: WorkflowCall, signal: AbortSignal) {
    const { services, log } = this.#parts
    const { trace_id, inputs, outputs, trace, testcase, flags, references, links } = request
    const parameters = (effective.parameters as JsonObject | null | undefined) ?? {}
    const labels = { references, links, baggage: {} }
    const ended = Promise.withResolvers<RunSpan[]>()
    let published = Promise.resolve()
    const invocation = invoke(
      handler,
      {
        trace_id,
        inputs,
        outputs,
        trace,
        testcase,
        flags,
        parameters,
        labels,
        revision: effective,
        isStreamed: false,
      },
      {
        openMeans: context => services.openMeans({ principal, mock: undefined, isPatient: true }, context),
        record: spans => {
          // A call that was cut off is repeated by the worker that holds the scenario then.
          if (!signal.aborted) published = services.traces.publish(principal, spans)
          ended.resolve(spans)
          return published
        },
        signal,
        onDefect: error => log.error({ err: error, trace_id }, 'a run of an evaluation failed'),
      },
    )
    const result = await invocation.result
    services.traces.hold(result.recorded)
    void result.recorded.then(() => ended.reject(new Error(`The run ${trace_id} recorded no trace.`)))
    const spans = await ended.promise
    signal.throwIfAborted()
    return {
      status: envelopeOf(result.status, { errorsUrl: services.errorsUrl() }).status as CallStatus,
      retryAfterSeconds: result.status.retryAfterSeconds,
      traced: {
        place: { trace_id, span_id: invocation.span_id },
        outputs: result.outputs,
        trace: { trace_id, spans: plainTree(spans.map(asNested)) },
      },
      recorded: published,
    }
  }
}

interface Opened {
  principal: ProjectPrincipal
  handler: Handler
  effective: JsonObject
}

/** With the times of its JSON as they are read from the store. */
const asNested = (span: RunSpan) => ({
  span_id: span.span_id,
  parent_id: span.parent_id,
  span_name: span.span_name,
  start_time: span.start_time,
  toJSON: (): JsonObject => ({
    ...(span as unknown as JsonObject),
    start_time: microsToIso(span.start_time),
    end_time: microsToIso(span.end_time),
  }),
})
