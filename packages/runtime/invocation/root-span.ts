import { isJsonObject, type Json, type JsonObject, parseSpanId, parseTraceId } from '@spanhouse/model'
import type { Handler } from '../handler.ts'
import type { RunLabels } from '../run.ts'
import { HANDLER_VERSION } from '../uri.ts'
import { effectiveInputs, type RunRequest, roleOf } from './run-request.ts'
import type { RunTrace, SpanFailure } from './run-trace.ts'

/** Members of `ag` that only the run itself sets: baggage cannot. */
const OWN_MEMBERS = new Set(['type', 'data', 'metrics', 'exception', 'session', 'selector'])

/** The attributes of every span of a run: its references, its session, and the caller's baggage. */
export function commonAttributes(
  { references, selector, baggage }: RunLabels,
  session_id: string,
): { ag: JsonObject; beside: Record<string, string> } {
  const ag: JsonObject = { session: { id: session_id } }
  if (Object.keys(references).length > 0) ag.references = references
  if (selector) ag.selector = selector
  const entries = Object.entries(baggage).filter(([key]) => isFree(key, references))
  return { ag, beside: Object.fromEntries(entries) }
}

function isFree(key: string, references: JsonObject): boolean {
  const [, member = '', name = ''] = key.split('.')
  return !OWN_MEMBERS.has(member) && !(member === 'references' && Object.hasOwn(references, name))
}

/** The root span of a run (contract of the runtime, section 9.1). */
export function rootSpan(
  handler: Handler,
  request: RunRequest,
  { outputs, failure }: { outputs?: Json; failure?: SpanFailure },
): Parameters<RunTrace['end']>[0] {
  const { labels, parameters } = request
  const { tags, meta } = labels
  const own: JsonObject = { flags: flagsOf(handler, request) }
  // A run inside a caller's trace does not decide what that trace is. Named links do.
  if (!request.parent) own.type = { trace: traceTypeOf(handler, labels) }
  if (tags) own.tags = tags
  if (meta) own.meta = meta
  return {
    name: `${handler.key}_${HANDLER_VERSION}`,
    type: 'workflow',
    kind: 'SPAN_KIND_SERVER',
    inputs: shownInputs(handler, request),
    parameters,
    outputs,
    failure,
    own,
    links: linksOf(request),
  }
}

function traceTypeOf(handler: Handler, labels: RunLabels): 'annotation' | 'invocation' {
  if (roleOf(handler, labels) === 'evaluator') return 'annotation'
  const isAlwaysApplication = !handler.roles.includes('evaluator')
  return isAlwaysApplication && Object.keys(labels.links).length > 0 ? 'annotation' : 'invocation'
}

/** Flags that are commands and not recorded, except for whether the response is streamed. */
const COMMANDS = new Set(['stream', 'trim', 'force', 'resolve'])

function flagsOf(handler: Handler, { flags, labels, isStreamed }: RunRequest): JsonObject {
  const given = Object.entries(flags).filter(([name]) => !COMMANDS.has(name))
  const all: JsonObject = { ...Object.fromEntries(given), [`is_${roleOf(handler, labels)}`]: true }
  if (handler.key === 'chat') all.is_chat = true
  if (isStreamed) all.stream = true
  return all
}

/** Applications record their inputs, evaluators all their arguments. The evaluated trace is linked, not copied. */
function shownInputs(handler: Handler, request: RunRequest): JsonObject {
  const inputs = effectiveInputs(request) ?? {}
  if (roleOf(handler, request.labels) === 'application') return shownApart(handler, inputs)
  const { parameters, outputs, trace } = request
  const shown: JsonObject = { parameters, inputs }
  if (outputs !== undefined) shown.outputs = outputs
  const judged = trace && judgedSpan(trace)
  if (judged) shown.trace = judged
  return shown
}

function shownApart({ key }: Handler, inputs: JsonObject): JsonObject {
  if (key !== 'chat' || inputs.messages === undefined) return { inputs }
  const { messages, ...others } = inputs
  return { inputs: others, messages }
}

function linksOf({ labels: { links }, trace }: RunRequest): Json[] | undefined {
  const named = new Map(Object.entries(links))
  const judged = trace && judgedSpan(trace)
  const isLinked = [...named.values()].some(({ trace_id }) => trace_id === judged?.trace_id)
  if (judged && !isLinked) named.set('trace', judged)
  if (named.size === 0) return undefined
  return Array.from(named, ([key, { trace_id, span_id }]) => ({ trace_id, span_id, attributes: { key } }))
}

/** The ids of the evaluated trace and its root span, if it has both. */
function judgedSpan({ trace_id, spans }: JsonObject): { trace_id: string; span_id: string } | undefined {
  const trace = parseTraceId(textOf(trace_id))
  const roots = isJsonObject(spans) ? (Object.values(spans).flat() as Json[]) : []
  const root = roots.find((span): span is JsonObject => isJsonObject(span) && !span.parent_id)
  const span = parseSpanId(textOf(root?.span_id))
  return trace && span ? { trace_id: trace, span_id: span } : undefined
}

const textOf = (value: Json | undefined): string => (typeof value === 'string' ? value : '')
