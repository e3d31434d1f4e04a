import { createHash } from 'node:crypto'
import type { JsonObject, Span } from '@spanhouse/model'

/**
 * Seeded data sets for queries, trace by trace: the same number gives the same trace.
 *
 * - `small`: ten spans a trace, eleven small attributes on each, from a handful of values to a value of its own; no
 *   inputs and outputs. Spread evenly over 30 days.
 * - `chat`: a trace is a turn of a conversation, an agent and its model call, whose inputs are the whole conversation so
 *   far, word for word: 2 to 20 KB. Ten turns a conversation, up to 2,000 conversations at the same time and five turns a
 *   second, so that six minutes and 2,000 turns of others lie between two of one conversation. Its text alone takes about
 *   a third by ZSTD(1), as English does.
 */
export const SPAN_SETS = ['small', 'chat'] as const
export type SpanSet = (typeof SPAN_SETS)[number]

export const SPANS_PER_TRACE: Record<SpanSet, number> = { small: 10, chat: 2 }

/** 2026-10-01T00:00:00Z. */
const START = Date.UTC(2026, 9, 1) * 1000
const DAYS = 30
export const END = START + DAYS * 86_400_000_000

export const traceIdOf = (set: SpanSet, trace: number): string => digestOf(set, trace).subarray(0, 16).toString('hex')

const digestOf = (set: SpanSet, trace: number): Buffer => createHash('sha256').update(`${set}/${trace}`).digest()

/** A trace of `count` spans, each a child of one of the ten before it, in the middle of the thirty days. */
export function makeLargeTrace(spans: number): Span[] {
  const trace_id = largeTraceId(spans)
  const [middle] = makeTrace('small', 1, 2)
  const idOf = (span: number): string => span.toString(16).padStart(16, '0')
  return Array.from({ length: spans }, (_, span) => ({
    ...(middle as Span),
    trace_id,
    span_id: idOf(span + 1),
    span_name: NAMES[span % NAMES.length] as string,
    ...(span === 0 ? {} : { parent_id: idOf(Math.floor((span - 1) / 10) + 1) }),
    start_time: (middle as Span).start_time + span * 1000,
    end_time: (middle as Span).end_time + span * 1000,
  }))
}

export const largeTraceId = (spans: number): string => spans.toString().padStart(32, 'a')
export const LARGE_TRACES = [1_000, 10_000]

/** The spans of one trace of a set with this number of traces. */
export function makeTrace(set: SpanSet, trace: number, traces: number): Span[] {
  const digest = digestOf(set, trace)
  const start = START + (set === 'chat' ? trace * 200_000 : Math.floor((trace / traces) * DAYS * 86_400_000_000))
  const at = (span: number): Pick<Span, 'trace_id' | 'span_id' | 'start_time' | 'end_time'> => ({
    trace_id: digest.subarray(0, 16).toString('hex'),
    span_id: createHash('sha1').update(digest).update(String(span)).digest('hex').slice(0, 16),
    start_time: start + span * 30_000 + digest.readUInt16LE(20),
    end_time: start + span * 30_000 + (digest.readUInt32LE(16 + (span % 8)) % 4_000_000),
  })
  return set === 'small' ? smallTrace(trace, digest, at) : chatTrace(trace, { digest, at, turn: turnOf(trace, traces) })
}

const NAMES = ['answer', 'plan', 'retrieve', 'embed', 'call_tool', 'chat', 'rank', 'guard', 'format', 'store']
const MODELS = ['gpt-4o', 'gpt-4o-mini', 'claude-sonnet', 'llama-3-70b', 'mistral-large', 'gemini-pro', 'qwen', 'phi']
const SERVICES = ['api', 'worker', 'gateway', 'search', 'billing', 'auth', 'chat', 'agent', 'planner', 'retriever']
export const CUSTOMERS = 10_000
export const ROUTES = 1_000

type At = (span: number) => Pick<Span, 'trace_id' | 'span_id' | 'start_time' | 'end_time'>

function smallTrace(trace: number, digest: Buffer, at: At): Span[] {
  const parents: string[] = []
  return NAMES.map((span_name, span) => {
    const place = at(span)
    const parent_id = parents[(digest[span] as number) % Math.max(1, span)]
    parents.push(place.span_id)
    const random = digest.readUInt32LE(span * 2)
    const isCall = span === 5
    const attributes = {
      service: { name: SERVICES[random % 10] as string },
      http: { route: `/v1/items/${random % ROUTES}`, status: random % 50 === 0 ? 500 : 200 },
      env: ['prod', 'staging', 'dev'][trace % 3] as string,
      region: ['eu', 'us', 'ap'][(digest[9] as number) % 3] as string,
      customer: `customer-${(trace * 7919) % CUSTOMERS}`,
      request: { id: `${place.span_id}${random.toString(16)}` },
      temperature: (random % 20) / 10,
      retries: random % 3,
      cached: random % 2 === 0,
    }
    return {
      ...place,
      ...(span === 0 ? {} : { parent_id: parent_id as string }),
      span_kind: 'SPAN_KIND_INTERNAL',
      span_name,
      status_code: 'STATUS_CODE_OK',
      span_type: span === 0 ? 'workflow' : isCall ? 'chat' : 'task',
      attributes: {
        ...attributes,
        ag: agOf({ meta: { request: { model: MODELS[trace % 8] as string } } }, isCall ? random : 0),
      },
    } satisfies Span
  })
}

const agOf = (more: JsonObject, tokens: number, data: JsonObject = {}): JsonObject => ({
  type: {},
  data,
  metrics: {
    duration: {},
    errors: {},
    costs: {},
    tokens: tokens === 0 ? {} : { incremental: usageOf(tokens) },
  },
  ...more,
})

function usageOf(random: number): JsonObject {
  const [prompt, completion] = [100 + (random % 3000), 10 + (random % 700)]
  return { prompt, completion, total: prompt + completion }
}

export const TURNS = 10
const CONVERSATIONS_AT_ONCE = 2_000
/** One turn of this number mentions the rare word. */
export const RARE_EVERY = 10_000
export const RARE_WORD = 'perihelion'

const COMMON_WORDS =
  'the a of to and in is for on with that as it by from at an be this are or was which more about answer question price city model order user data time year people first last water light train river green small large early after before under over north south window letter garden summer winter bridge market kitchen doctor engine silver copper paper'.split(
    ' ',
  )
const SYLLABLES = 'ba re ti con ment ly in der es tor al ing pro sta ver mi na lo ca per tion ous ar ec'.split(' ')
const VOCABULARY = 8192

/** From the most frequent to the rarest. */
const WORDS = Array.from({ length: VOCABULARY }, (_, rank) => COMMON_WORDS[rank] ?? wordOf(rank))

function wordOf(rank: number): string {
  let word = ''
  for (let rest = rank * 7; rest > 0; rest = Math.floor(rest / SYLLABLES.length))
    word += SYLLABLES[rest % SYLLABLES.length]
  return word
}

interface Turn {
  conversation: number
  turn: number
}

function turnOf(trace: number, traces: number): Turn {
  const atOnce = Math.min(CONVERSATIONS_AT_ONCE, Math.ceil(traces / TURNS))
  const round = Math.floor(trace / atOnce)
  return { conversation: Math.floor(round / TURNS) * atOnce + (trace % atOnce), turn: round % TURNS }
}

function chatTrace(trace: number, of: { digest: Buffer; at: At; turn: Turn }): Span[] {
  const { digest, at } = of
  const { conversation, turn } = of.turn
  const messages: JsonObject[] = [{ role: 'system', content: textOf(conversation * 1000, 150) }]
  for (let before = 0; before <= turn; before++) {
    if (before > 0) messages.push({ role: 'assistant', content: textOf(conversation * 1000 + before * 2 + 1, 200) })
    messages.push({ role: 'user', content: textOf(conversation * 1000 + before * 2, 60) })
  }
  const rare = trace % RARE_EVERY === 77 ? ` ${RARE_WORD}` : ''
  const reply = `${textOf(conversation * 1000 + turn * 2 + 3, 200)}${rare}`
  const meta = { meta: { request: { model: MODELS[conversation % 8] as string } } }
  const session_id = `conversation-${conversation}`
  const common = { span_kind: 'SPAN_KIND_INTERNAL', status_code: 'STATUS_CODE_OK', session_id } as const
  const root = at(0)
  return [
    {
      ...root,
      ...common,
      span_name: 'turn',
      span_type: 'agent',
      attributes: { ag: agOf({}, 0, { inputs: { question: messages.at(-1)?.content as string }, outputs: reply }) },
    },
    {
      ...at(1),
      ...common,
      parent_id: root.span_id,
      span_name: 'chat',
      span_type: 'chat',
      attributes: { ag: agOf(meta, digest.readUInt32LE(0), { inputs: { messages }, outputs: { content: reply } }) },
    },
  ]
}

/** The share of words that are drawn from the few successors of the previous word. All others are drawn by rank. */
const FOLLOWING_SHARE = 0.6
const FOLLOWERS = 4

/**
 * `count` words, the same for each seed, with the frequencies of a language: the word of rank n about 1/n of the time.
 */
export function textOf(seed: number, words: number): string {
  let state = (seed * 2_654_435_761) >>> 0
  let rank = 0
  const text: string[] = []
  for (let at = 0; at < words; at++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    const luck = (state >>> 8) / 2 ** 24
    const drawn = (luck - FOLLOWING_SHARE) / (1 - FOLLOWING_SHARE)
    rank = (drawn < 0 ? rank + 1 + ((state >>> 3) % FOLLOWERS) : Math.floor(VOCABULARY ** drawn)) % VOCABULARY
    text.push(WORDS[rank] as string)
  }
  return text.join(' ')
}
