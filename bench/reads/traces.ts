import { createHash } from 'node:crypto'
import { double, type Export, encodeExport, fixed64, int, text } from '../exports.ts'
import { textOf } from '../span-sets.ts'

/*
 * A month of one application's traces: ten spans each, of 1.1 KB on average. Three spans are model calls in the GenAI
 * conventions, seven have the native `ag.*`. Traces are sent in the order of time, children first, but for a few late
 * spans.
 */

export const SPANS_PER_TRACE = 10
const TRACES_PER_EXPORT = 50

/** 2026-10-01T00:00:00Z. */
const START_MS = Date.UTC(2026, 9, 1)
const DAYS = 30
export const MONTH = { oldest: '2026-10-01T00:00:00Z', newest: '2026-10-31T00:00:00Z' }

/** How many different values attributes of roots have. */
export const CUSTOMERS = 10_000
export const ROUTES = 1_000
export const ENVIRONMENTS = ['production', 'staging', 'development']
/** The traces of a session, and the distance between two of them in traces. */
const TRACES_PER_SESSION = 10
const SESSIONS_AT_ONCE = 500
export const USERS = 2_000

/** In the outputs of one model call of 10,000. */
export const RARE_WORD = 'perihelion'
const RARE_EVERY = 3_333
const ERROR_EVERY = 40

/**
 * Of one trace of so many a model call arrives after its root, with the next export, as from another process: rows that
 * are stored already get other totals.
 */
const LATE_EVERY = 100
/** The place of that call among the spans of a trace as they are sent. */
const LATE = 3

const MODELS = ['gpt-4o', 'gpt-4o-mini', 'claude-sonnet', 'mistral-large']
const NAMES = ['answer', 'plan', 'retrieve', 'chat', 'call_tool', 'rank', 'chat', 'guard', 'chat', 'format']
const TYPES = ['workflow', 'chain', 'query', 'chat', 'tool', 'task', 'chat', 'task', 'chat', 'task']
const PARENTS = [-1, 0, 1, 1, 1, 2, 4, 0, 0, 8]

const digestOf = (trace: number): Buffer => createHash('sha256').update(`reads/${trace}`).digest()

export const traceIdOf = (trace: number): string => digestOf(trace).subarray(0, 16).toString('hex')

export const sessionOf = (trace: number): string => {
  const round = Math.floor(trace / (SESSIONS_AT_ONCE * TRACES_PER_SESSION))
  return `session-${round * SESSIONS_AT_ONCE + (trace % SESSIONS_AT_ONCE)}`
}

/** The exports with this number of spans. */
export function* exportsOf(spans: number): Generator<Export> {
  const traces = spans / SPANS_PER_TRACE
  let late: object[] = []
  for (let first = 0; first < traces; first += TRACES_PER_EXPORT) {
    const count = Math.min(TRACES_PER_EXPORT, traces - first)
    const made = Array.from({ length: count }, (_, at) => traceOf(first + at, traces))
    const isLast = first + count >= traces
    const later = isLast
      ? []
      : made.filter((_, at) => (first + at) % LATE_EVERY === 0).map(trace => trace[LATE] as object)
    yield encodeExport('bench', [...late, ...made.flat().filter(span => !later.includes(span))])
    late = later
  }
}

function traceOf(trace: number, traces: number): object[] {
  const digest = digestOf(trace)
  const startMs = START_MS + Math.floor((trace / traces) * DAYS * 86_400_000) + (digest[30] as number)
  const idOf = (span: number): Buffer => createHash('sha1').update(digest).update(String(span)).digest().subarray(0, 8)
  return NAMES.map((name, span) => {
    const start = BigInt(startMs + span * 30) * 1_000_000n
    const parent = PARENTS[span] as number
    const random = digest.readUInt32LE(span * 2)
    return {
      traceId: digest.subarray(0, 16),
      spanId: idOf(span),
      ...(parent < 0 ? {} : { parentSpanId: idOf(parent) }),
      name,
      kind: 1,
      startTimeUnixNano: fixed64(start),
      endTimeUnixNano: fixed64(start + BigInt(random % 4_000_000) * 1_000n),
      attributes: TYPES[span] === 'chat' ? chat(trace, span, random) : native(trace, span, random),
      status: { code: random % ERROR_EVERY === 0 ? 2 : 1 },
    }
  }).reverse()
}

function native(trace: number, span: number, random: number): object[] {
  const attributes = [
    text('ag.type.node', TYPES[span] as string),
    text('ag.session.id', sessionOf(trace)),
    text('ag.user.id', `user-${trace % USERS}`),
    text('ag.data.inputs', JSON.stringify({ question: textOf(trace * 20 + span, 46) })),
    text('ag.data.outputs', textOf(trace * 20 + span + 10, 52)),
    text('http.route', `/v1/items/${(trace * 31) % ROUTES}`),
    text('deployment.environment', ENVIRONMENTS[trace % 3] as string),
  ]
  if (span > 0) return attributes
  return [...attributes, text('customer', `customer-${(trace * 7_919) % CUSTOMERS}`), int('retries', random % 3)]
}

function chat(trace: number, span: number, random: number): object[] {
  const call = trace * 20 + span
  const toParts = (role: string, content: string): object => ({ role, parts: [{ type: 'text', content }] })
  const rare = (trace * 3 + span) % RARE_EVERY === 77 ? ` ${RARE_WORD}` : ''
  return [
    text('gen_ai.operation.name', 'chat'),
    text('gen_ai.provider.name', 'openai'),
    text('gen_ai.request.model', MODELS[trace % 4] as string),
    text('gen_ai.response.model', MODELS[trace % 4] as string),
    text('gen_ai.conversation.id', sessionOf(trace)),
    text(
      'gen_ai.input.messages',
      JSON.stringify([toParts('system', textOf(span, 30)), toParts('user', textOf(call, 46))]),
    ),
    text('gen_ai.output.messages', JSON.stringify([toParts('assistant', `${textOf(call + 10, 52)}${rare}`)])),
    int('gen_ai.usage.input_tokens', 100 + (random % 3_000)),
    int('gen_ai.usage.output_tokens', 10 + (random % 700)),
    double('gen_ai.request.temperature', (random % 10) / 10),
  ]
}
