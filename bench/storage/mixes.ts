import { createHash } from 'node:crypto'
import { type Export, encodeExport, fixed64 } from '../exports.ts'
import { textOf } from '../span-sets.ts'
import { type Call, CLIENTS, type Client, type Message } from './clients.ts'

/** Seeded exports of one kind of application, a quarter of them from each client. */
export interface Mix {
  about: string
  /** The approximate number of spans; fewer if a trace is larger. */
  exports(spans: number): Generator<Export>
}

const MODELS = ['gpt-4o', 'gpt-4o-mini', 'claude-sonnet', 'mistral-large']
/** 2026-11-01T00:00:00Z. */
const START_MS = Date.UTC(2026, 10, 1)

interface Place {
  trace: string
  client: Client
  startMs: number
}

interface Node {
  name: string
  attributes: object[]
  /** Of the list of nodes; the first is the root. */
  parent?: number
}

/** The spans of a trace as a batch exporter sends them: children first. */
function toSpans({ trace, startMs }: Place, nodes: readonly Node[]): object[] {
  const traceId = createHash('sha256').update(trace).digest().subarray(0, 16)
  const idOf = (at: number): Buffer => createHash('sha256').update(`${trace}/${at}`).digest().subarray(0, 8)
  return nodes
    .map(({ name, attributes, parent }, at) => ({
      traceId,
      spanId: idOf(at),
      ...(parent === undefined ? {} : { parentSpanId: idOf(parent) }),
      name,
      kind: 1,
      startTimeUnixNano: fixed64(BigInt(startMs + at * 50) * 1_000_000n),
      endTimeUnixNano: fixed64(
        BigInt(startMs + at * 50 + (parent === undefined ? 60_000 : 40)) * 1_000_000n + BigInt(at * 1013),
      ),
      attributes,
      status: { code: 1 },
    }))
    .reverse()
}

const clients = Object.values(CLIENTS)
const pick = <T>(list: readonly T[], number: number): T => list[number % list.length] as T
const callOf = (number: number, session: string): Omit<Call, 'messages' | 'reply'> => ({
  model: pick(MODELS, number),
  session,
  user: `user-${number % 500}`,
})

/** Agents with five tools whose results are a few words. */
function* small(spans: number): Generator<Export> {
  const tracesPerExport = 50
  for (let trace = 0; trace < spans / 8; trace += tracesPerExport) {
    const client = pick(clients, trace / tracesPerExport)
    const all = Array.from({ length: tracesPerExport }, (_, at) => smallTrace(client, trace + at))
    yield encodeExport(client.scope, all.flat())
  }
}

function smallTrace(client: Client, trace: number): object[] {
  const question = textOf(trace, 12)
  const call = {
    ...callOf(trace, `session-${trace % 5_000}`),
    messages: [{ role: 'user', content: question } as const],
    reply: textOf(trace + 1, 20),
  }
  const tools = ['search', 'fetch', 'rank', 'store', 'notify'].map((name, at) => ({
    name,
    attributes: client.tool(name, textOf(trace * 5 + at, 6), call),
    parent: at < 3 ? 1 : 0,
  }))
  return toSpans({ trace: `small/${trace}`, client, startMs: START_MS + trace * 500 }, [
    { name: 'answer', attributes: client.agent(question, call) },
    { name: 'plan', attributes: client.tool('plan', textOf(trace * 7, 8), call), parent: 0 },
    ...tools,
    { name: client.callName, attributes: client.call(call), parent: 0 },
  ])
}

/** Conversations at the same time, whose turns are a trace each: a root and its call, with all earlier turns. */
const CONVERSATIONS_AT_ONCE = 200

function* chats(spans: number): Generator<Export> {
  const traces = spans / 2
  const atOnce = Math.min(CONVERSATIONS_AT_ONCE, Math.ceil(traces / 15))
  for (let first = 0, trace = 0; trace < traces; first += atOnce)
    for (let turn = 0; turn < 20 && trace < traces; turn++)
      for (const client of clients) {
        const numbers = Array.from({ length: atOnce }, (_, at) => first + at).filter(
          number => pick(clients, number) === client && turn < 10 + (number % 11),
        )
        trace += numbers.length
        const startMs = START_MS + first * 60_000 + turn * 30_000
        for (let at = 0; at < numbers.length; at += 25)
          yield encodeExport(
            client.scope,
            numbers
              .slice(at, at + 25)
              .flatMap(number => chatTrace({ client, number, turn, startMs: startMs + number })),
          )
      }
}

function chatTrace(of: { client: Client; number: number; turn: number; startMs: number }): object[] {
  const { client, number, turn } = of
  const seed = number * 1_000
  const messages: Message[] = [{ role: 'system', content: textOf(number % 20, 200) }]
  for (let before = 0; before <= turn; before++) {
    if (before > 0) messages.push({ role: 'assistant', content: textOf(seed + before * 2 + 1, 150) })
    messages.push({ role: 'user', content: textOf(seed + before * 2, 40) })
  }
  const call = { ...callOf(number, `conversation-${number}`), messages, reply: textOf(seed + turn * 2 + 3, 150) }
  return toSpans({ ...of, trace: `chat/${number}/${turn}` }, [
    { name: 'turn', attributes: client.agent(messages.at(-1)?.content as string, call) },
    { name: client.callName, attributes: client.call(call), parent: 0 },
  ])
}

/** An agent that calls a model thirty times, each time with everything before, and a tool after each call. */
const LOOP_CALLS = 30

function* loops(spans: number): Generator<Export> {
  for (let trace = 0; trace < spans / (LOOP_CALLS * 2 + 1); trace++) {
    const client = pick(clients, trace)
    const all = loopTrace(client, trace)
    // In exports of five spans, as a batch exporter sends what is large.
    for (let at = 0; at < all.length; at += 5) yield encodeExport(client.scope, all.slice(at, at + 5))
  }
}

function loopTrace(client: Client, trace: number): object[] {
  const messages: Message[] = [
    { role: 'system', content: textOf(3, 4_000) },
    { role: 'user', content: textOf(trace * 100, 4_000) },
  ]
  const nodes: Node[] = []
  let call: Call = { ...callOf(trace, `loop-${trace}`), messages: [], reply: '' }
  for (let step = 0; step < LOOP_CALLS; step++) {
    call = { ...call, messages: [...messages], reply: textOf(trace * 100 + step, 120) }
    const result = textOf(trace * 1_000 + step, 700)
    nodes.push({ name: client.callName, attributes: client.call(call), parent: 0 })
    nodes.push({ name: 'search', attributes: client.tool('search', result, call), parent: 0 })
    messages.push({ role: 'assistant', content: call.reply }, { role: 'tool', content: result })
  }
  const root = { name: 'agent', attributes: client.agent(messages[1]?.content as string, call) }
  return toSpans({ trace: `loop/${trace}`, client, startMs: START_MS + trace * 120_000 }, [root, ...nodes])
}

/** Calls with a document of 0.8 to 8 MB in their only message. */
function* giants(spans: number): Generator<Export> {
  for (let trace = 0; trace < spans; trace++) {
    const client = pick(clients, trace)
    // OpenInference sends the messages twice, and an export has at most 10 MiB.
    const words = 150_000 * (1 + (trace % (client === CLIENTS.openinference ? 4 : 9)))
    const messages: Message[] = [{ role: 'user', content: documentOf(trace, words) }]
    const call = { ...callOf(trace, `giant-${trace}`), messages, reply: textOf(trace, 100) }
    yield encodeExport(
      client.scope,
      toSpans({ trace: `giant/${trace}`, client, startMs: START_MS + trace * 10_000 }, [
        { name: client.callName, attributes: client.call(call) },
      ]),
    )
  }
}

function documentOf(seed: number, words: number): string {
  const pieces: string[] = []
  for (let at = 0; at < words; at += 5_000) pieces.push(textOf(seed * 1_000 + at, Math.min(5_000, words - at)))
  return pieces.join('\n')
}

export const MIXES: Record<string, Mix> = {
  small: { about: 'eight spans a trace, a few hundred bytes each', exports: small },
  chats: { about: 'conversations of 10 to 20 turns, each turn with all before', exports: spans => chats(spans / 10) },
  loops: { about: 'agents of 30 calls, 50 to 200 KB each', exports: spans => loops(spans / 50) },
  giants: { about: 'calls of 1 to 9 MB', exports: spans => giants(spans / 2_500) },
}
