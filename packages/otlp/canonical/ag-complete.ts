import {
  isJsonObject,
  type Json,
  type JsonObject,
  microsToIso,
  numberOf,
  type SpanEvent,
  type SpanType,
  type TraceType,
} from '@spanhouse/model'
import type { ToldFailure } from '../conventions/convention.ts'
import type { Parking } from './parking.ts'
import { withoutAbsent } from './without-absent.ts'

/** The members of `ag` that fit its schema. */
export interface FittingAg {
  type?: { trace?: TraceType; span?: SpanType }
  data?: JsonObject
  metrics?: Record<string, JsonObject>
  references?: JsonObject
  session?: { id: string }
  user?: { id: string }
  agent?: { id: string }
  flags?: JsonObject
  tags?: JsonObject
  meta?: JsonObject
  exception?: JsonObject
  selector?: JsonObject
}

/** What else of a span decides over its `ag`. */
export interface CompletedSpan {
  events: readonly SpanEvent[]
  hasDuration: boolean
  /** Whether conventions recognised anything. */
  isRecognised: boolean
  /** The failure of which its status or its attributes tell. */
  failure: ToldFailure | undefined
}

/**
 * The finished `ag`: the members that every span has, then its other members, then what does not fit. Errors are
 * counted from the events if there are any, a failure without an exception among them is one error, and the first
 * exception among them becomes `ag.exception` unless the client has set it. Amounts that a convention recognised have a
 * total. With `hasDuration` the duration follows from the span's times, and the client's value is dropped.
 */
export function completeAg(fitting: FittingAg, parking: Parking, span: CompletedSpan): JsonObject {
  const { events } = span
  const exceptions = events.length > 0 ? events.filter(({ name }) => name === 'exception') : NO_EVENTS
  const failure = exceptions.length === 0 ? span.failure : undefined
  const errorCount = failure ? 1 : events.length > 0 ? exceptions.length : undefined
  const ag: JsonObject = {
    type: fitting.type ?? {},
    data: withOutputsUnwrapped(fitting.data ?? {}, parking),
    metrics: completeMetrics(fitting.metrics ?? {}, errorCount, span),
  }
  for (const key in fitting) ag[key] ??= fitting[key as keyof FittingAg] as JsonObject
  if (ag.exception === undefined && exceptions[0]) ag.exception = exceptionOf(exceptions[0])
  if (ag.exception === undefined && failure && hasKeys(failure)) ag.exception = { ...failure }
  if (parking.unsupported) ag.unsupported = parking.unsupported
  return ag
}

const NO_EVENTS: readonly SpanEvent[] = []

/** The SDK wraps outputs that are not an object: `{ __default__: outputs }`. */
const WRAPPER = '__default__'

function withOutputsUnwrapped(data: JsonObject, parking: Parking): JsonObject {
  const { outputs } = data
  if (!isJsonObject(outputs) || !Object.hasOwn(outputs, WRAPPER)) return data
  const { [WRAPPER]: unwrapped, ...rest } = outputs
  for (const [key, value] of Object.entries(rest)) parking.park(['data', 'outputs', key], value)
  return { ...data, outputs: unwrapped as Json }
}

function completeMetrics(
  { duration = {}, errors = {}, tokens = {}, costs = {} }: Record<string, JsonObject>,
  errorCount: number | undefined,
  { hasDuration, isRecognised }: { hasDuration: boolean; isRecognised: boolean },
): JsonObject {
  return {
    duration: hasDuration && duration.cumulative !== undefined ? withoutCumulative(duration) : duration,
    errors: errorCount === undefined ? errors : { ...errors, incremental: errorCount },
    tokens: isRecognised ? withTotal(tokens) : tokens,
    costs: isRecognised ? withTotal(costs) : costs,
  }
}

/** Without a total of the sender's own, what the prompt and the completion used is the total. */
function withTotal(views: JsonObject): JsonObject {
  const { incremental } = views
  if (!isJsonObject(incremental) || numberOf(incremental.total) !== undefined) return views
  const prompt = numberOf(incremental.prompt)
  const completion = numberOf(incremental.completion)
  if (prompt === undefined && completion === undefined) return views
  return { ...views, incremental: { ...incremental, total: (prompt ?? 0) + (completion ?? 0) } }
}

const withoutCumulative = ({ cumulative: _, ...others }: JsonObject): JsonObject => others

function exceptionOf({ timestamp, attributes: all = {} }: SpanEvent): JsonObject {
  const {
    'exception.type': type,
    'exception.message': message,
    'exception.stacktrace': stacktrace,
    ...attributes
  } = all as Record<string, Json | undefined>
  return withoutAbsent({
    type,
    message,
    stacktrace,
    timestamp: microsToIso(timestamp),
    attributes: hasKeys(attributes) ? (attributes as JsonObject) : undefined,
  })
}

const hasKeys = (object: object): boolean => Object.keys(object).length > 0
