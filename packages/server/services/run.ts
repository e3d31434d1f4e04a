import type { ProjectPrincipal } from '@spanhouse/access'
import { isJsonObject, type Json, type JsonObject, Problem } from '@spanhouse/model'
import {
  type Handler,
  type Invocation,
  invoke,
  type Means,
  type RunContext,
  RunError,
  type RunResult,
  UNKNOWN_ERROR,
} from '@spanhouse/runtime'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { whenClosed } from '../http/answer/when-closed.ts'
import type { Registry } from '../routes/registry/endpoint.ts'
import { RunAnswer, withUiMessages } from './answer.ts'
import type { InvokeBody } from './bodies.ts'
import { addRunHeaders, type RunIds } from './envelope.ts'
import type { RunOwner } from './means/means.ts'
import { type Negotiated, negotiate } from './negotiate.ts'
import { type Prepared, prepare, rejected } from './prepare.ts'
import { propagatedBy } from './propagation.ts'
import type { RunTraces } from './run-traces.ts'
import { toModelMessages } from './ui-messages.ts'

/** What the services need from the program. */
export interface Services {
  registry: Registry
  traces: RunTraces
  openMeans(owner: RunOwner, context: RunContext): Means
  /** The prefix of `status.type`. */
  errorsUrl(): string
}

export interface RunCall {
  principal: ProjectPrincipal
  body: InvokeBody
  /** Undefined for the dispatcher, which takes the handler from the revision. */
  mount: Handler | undefined
  mock: string | undefined
  request: FastifyRequest
  reply: FastifyReply
  bodyOf?(result: RunResult, invocation: Invocation): JsonObject
}

/**
 * Handles a request to run, top to bottom:
 *
 *     headers      flags, session and trace context that the body lacks                   services/propagation
 *     prepare      revision, embeds, handler                                  403          services/prepare, resolve
 *                  if one does not exist: a run that fails                  400, 404
 *     negotiate    the form of the response                                       406      services/negotiate
 *     invoke       runs the handler within limits; its trace goes to the stream            runtime, services/run-traces
 *     answer       JSON, or a stream that begins with the first event                      services/answer
 */
export async function runAndAnswer(services: Services, call: RunCall): Promise<FastifyReply> {
  const { principal, mount, request, reply } = call
  const body = withHeaders(call.body, request)
  const { registry } = services
  const requested = { body, mount, propagated: propagatedBy(request) }
  const prepared = await prepare({ registry, principal }, requested).catch(error => {
    if (isMistake(error)) return rejected(error, requested)
    throw error
  })
  const negotiated = negotiate({
    accept: request.headers.accept,
    messagesFormat: formatOf(request),
    stream: booleanOf(body.flags?.stream),
    isStreaming: prepared.handler.isStreaming ?? false,
  })
  if (!('form' in negotiated)) {
    const detail = 'None of the media types in Accept is supported.'
    const { trace_id, span_id } = leaveTrace(
      services,
      { ...call, mount: prepared.handler },
      new RunError(406, UNKNOWN_ERROR, detail),
    )
    return reply.code(406).send({ detail, ...negotiated, trace_id, span_id })
  }
  return answerRun(services, call, prepared, negotiated)
}

/** Leaves the trace of a request that is answered without a run, and names it in the response's headers. */
export function leaveTrace(
  services: Services,
  { principal, mount, request, reply, body }: Omit<RunCall, 'mock' | 'bodyOf'>,
  error: Problem | RunError,
): RunIds {
  const { handler, request: given } = rejected(error, { body, mount, propagated: propagatedBy(request) })
  const invocation = invoke(
    handler,
    { ...given, isStreamed: false },
    {
      openMeans: context => services.openMeans({ principal, mock: undefined }, context),
      record: spans => services.traces.publish(principal, spans),
      signal: new AbortController().signal,
    },
  )
  services.traces.hold(invocation.result.then(({ recorded }) => recorded))
  addRunHeaders(reply, invocation)
  return invocation
}

async function answerRun(
  services: Services,
  { principal, mock, request, reply, bodyOf }: RunCall,
  { handler, request: prepared }: Prepared,
  negotiated: Negotiated,
): Promise<FastifyReply> {
  const leaving = new AbortController()
  whenClosed(reply, () => {
    if (!reply.raw.writableFinished) leaving.abort()
  })
  const messageId = trailingMessageId(prepared.messages ?? prepared.inputs?.messages)
  const isForInterface = formatOf(request) === 'vercel'
  const onLost = (): void => leaving.abort()
  const answer = new RunAnswer({ reply, negotiated, errorsUrl: services.errorsUrl(), onLost, messageId, bodyOf })
  const given = isForInterface ? withModelMessages(prepared) : prepared
  const invocation = invoke(
    handler,
    { ...given, isStreamed: negotiated.isStreamed },
    {
      openMeans: context => services.openMeans({ principal, mock }, context),
      record: spans => services.traces.publish(principal, spans),
      signal: leaving.signal,
      onEvent: answer.onEvent,
      onDefect: error => request.log.error({ err: error, trace_id: invocation.trace_id }, 'a run failed'),
    },
  )
  services.traces.hold(invocation.result.then(({ recorded }) => recorded))
  if (!isForInterface || negotiated.form !== 'json') return answer.send(invocation)
  const result = invocation.result.then(one => ({ ...one, outputs: withUiMessages(one.outputs, invocation.trace_id) }))
  return answer.send({ ...invocation, result })
}

const FORMAT_HEADER = 'x-ag-messages-format'
const formatOf = ({ headers }: FastifyRequest): string | undefined => headers[FORMAT_HEADER] as string | undefined

const booleanOf = (value: Json | undefined): boolean | undefined => (typeof value === 'boolean' ? value : undefined)

/** Adds the commands in the headers; those in the body take precedence (section 8.4). */
function withHeaders(body: InvokeBody, { headers }: FastifyRequest): InvokeBody {
  const flags: JsonObject = {}
  const transcript = headers['x-ag-messages-transcript']
  if (transcript === 'last' || transcript === 'full') flags.trim = transcript === 'last'
  if (headers['x-ag-session-control'] === 'force') flags.force = true
  if (headers['x-ag-workflow-embeds'] === 'resolve') flags.resolve = true
  return { ...body, flags: { ...flags, ...body.flags } }
}

function withModelMessages(prepared: Prepared['request']): Prepared['request'] {
  const { inputs, messages } = prepared
  const own = inputs?.messages
  return {
    ...prepared,
    messages: messages && toModelMessages(messages),
    inputs: Array.isArray(own) ? { ...inputs, messages: toModelMessages(own) } : inputs,
  }
}

/** The id of the message that the response continues: the last one if it is the assistant's. */
function trailingMessageId(messages: Json | undefined): string | undefined {
  const last = Array.isArray(messages) ? messages.at(-1) : undefined
  return isJsonObject(last) && last.role === 'assistant' && typeof last.id === 'string' ? last.id : undefined
}

/** The caller's mistakes are failed runs; missing permissions and defects are answered as everywhere else. */
const isMistake = (error: unknown): boolean =>
  error instanceof RunError || (error instanceof Problem && ['invalid', 'not_found', 'conflict'].includes(error.code))
