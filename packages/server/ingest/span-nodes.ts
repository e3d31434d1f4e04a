import { randomBytes } from 'node:crypto'
import {
  isJsonObject,
  type Json,
  type JsonObject,
  nextTurn,
  numberOf,
  type Problem,
  parseTimeOfAnyYear,
  parseTraceId,
  SPAN_KINDS,
  SPAN_TYPES,
  STATUS_CODES,
  TRACE_TYPES,
  unprocessable,
} from '@spanhouse/model'
import { isNoParent, type SpanBody } from '@spanhouse/otlp'
import { jsonList, jsonObject, optional, refuseBeyond, validate, z } from '@spanhouse/validation'

const NO_TIME = { params: { type: 'datetime_type' }, error: 'Input should be a valid datetime' }

/** A time as text or as an integer. An integer with an unsupported number of digits makes only that span unusable. */
const time = z
  .custom<Json>(value => typeof value === 'string' || numberOf(value) !== undefined, NO_TIME)
  .superRefine((value, context) => {
    if (typeof value !== 'string' || INTEGER.test(value)) return
    const micros = parseTimeOfAnyYear(value)
    if (micros === null) context.addIssue({ code: 'custom', params: NO_TIME.params, message: NO_TIME.error })
    else refuseBeyond(micros, context)
  })
const INTEGER = /^\s*\d+\s*$/

/** One span of a request, with its children if spans are nested. Spans with malformed ids are skipped. */
const spanNode = z.object({
  trace_id: z.string(),
  span_id: z.string(),
  parent_id: optional(z.string()),
  trace_type: optional(z.enum(TRACE_TYPES)).meta({ description: 'Ignored: `ag.type.trace` determines it.' }),
  span_type: optional(z.enum(SPAN_TYPES)).meta({ description: 'Used if `ag.type.span` is absent.' }),
  span_kind: optional(z.enum(SPAN_KINDS)),
  span_name: optional(z.string()),
  start_time: optional(time),
  end_time: optional(time),
  status_code: optional(z.enum(STATUS_CODES)),
  status_message: optional(z.string()),
  attributes: optional(jsonObject).meta({ description: 'Nested, or flat with dotted keys.' }),
  references: optional(jsonList),
  links: optional(jsonList),
  events: optional(jsonList),
  spans: optional(jsonObject).meta({ description: 'Children by name: each a span or a list of spans.' }),
})

/** A map of name → span or list of spans, which may be nested; parsed by {@link readSpans}. */
export const spanTree = jsonObject.meta({
  description: 'Spans by name, each a span or a list of spans, with their children under `spans`.',
})

/** One span of a request and its position in the tree. */
export interface GivenSpan {
  body: SpanBody
  /** Its trace id, normalised; null if malformed. */
  trace_id: string | null
  /** Directly in the request, not below another span and not in a list. */
  isTop: boolean
  isRoot: boolean
}

interface Open {
  value: Json
  at: Place
  /** Its key in the map. */
  name?: string
  /** Its parent in the tree. */
  parent_id?: string
  isTop: boolean
}

/** The location of a value, as steps from the last to the first: a tree may be as deep as its text is long. */
interface Place {
  step: string | number
  within?: Place
}

/**
 * All spans of a tree or of a flat list in their order, each before its children. A span without a name gets that of
 * its key, a nested span without a parent gets the enclosing one. Rejects with a Problem `unprocessable` for the first
 * with a wrong shape. Works on trees of any depth, and yields to other work.
 */
export async function readSpans(
  spans: JsonObject | readonly Json[],
  loc: readonly (string | number)[],
): Promise<GivenSpan[]> {
  const within = loc.reduce<Place | undefined>((within, step) => ({ step, within }), undefined) as Place
  const first = { isTop: true }
  // Depth-first in document order: the later of two versions of one span wins.
  const open = [Array.isArray(spans) ? itemsOf(spans, within, first) : entriesOf(spans as JsonObject, within, first)]
  const given: GivenSpan[] = []
  for (let from = open.at(-1); from; from = open.at(-1)) {
    const { value: next } = from.next()
    if (next === undefined) {
      open.pop()
      continue
    }
    if (Array.isArray(next.value)) {
      open.push(itemsOf(next.value, next.at, { ...next, isTop: false }))
      continue
    }
    const { at } = next
    const { spans: children, ...node } = validate(spanNode, next.value, 'body', { at: () => locOf(at) })
    given.push(givenSpan(node, next))
    const turn = nextTurn()
    if (turn) await turn
    if (children)
      open.push(entriesOf(children, { step: 'spans', within: at }, { parent_id: node.span_id, isTop: false }))
  }
  return given
}

function givenSpan(
  node: Omit<z.output<typeof spanNode>, 'spans' | 'trace_type'>,
  { name, parent_id, isTop }: Open,
): GivenSpan {
  const body = {
    ...node,
    span_name: node.span_name ?? name ?? randomBytes(6).toString('hex'),
    parent_id: node.parent_id ?? parent_id,
  } as SpanBody
  return { body, trace_id: parseTraceId(node.trace_id), isTop, isRoot: isNoParent(body.parent_id) }
}

type Around = Pick<Open, 'name' | 'parent_id' | 'isTop'>

function* entriesOf(spans: JsonObject, within: Place, around: Around): Generator<Open, undefined> {
  for (const [name, value] of Object.entries(spans)) yield { ...around, value, name, at: { step: name, within } }
}

/** Lists appear directly in a map of spans, or as the whole body, and contain spans. */
function* itemsOf(spans: readonly Json[], within: Place, around: Around): Generator<Open, undefined> {
  for (const [step, value] of spans.entries()) {
    const at = { step, within }
    if (!isJsonObject(value)) throw noSpan(at)
    yield { ...around, value, at }
  }
}

function locOf(place: Place): (string | number)[] {
  const loc: (string | number)[] = []
  for (let at: Place | undefined = place; at; at = at.within) loc.push(at.step)
  return loc.reverse()
}

const noSpan = (at: Place): Problem =>
  unprocessable({
    type: 'model_attributes_type',
    loc: ['body', ...locOf(at)],
    msg: 'Input should be a valid object',
    input: null,
  })
