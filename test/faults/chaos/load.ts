import { setTimeout as delay } from 'node:timers/promises'
import { AMOUNTS, type TraceNode, toAmount } from '@spanhouse/model'
import { oracle } from '@spanhouse/model/oracle.testing.ts'
import { call } from '../../harness.ts'
import { exportOf, type OtlpSpan, otlpSpan } from '../../otlp.ts'
import type { Random } from './random.ts'

/** Where to send and whom to ask; the addresses stay the same over restarts. */
export interface Target {
  receiverUrl: string
  apiUrl: string
  apiKey: string
}

interface SentTrace {
  trace_id: string
  nodes: TraceNode[]
}

const SPANS_MAX = 12
const EXPORTS_MAX = 4
const COPIES_MAX = 5
const SENDERS = 4
const START_MS = 1_770_000_000_000

/**
 * Sends traces until it is told to end: trees of a few spans, cut into a few exports, each of which is delivered one to
 * five times, all in any order. An export that is refused or whose answer is lost is sent again, so in the end all that
 * was ever sent has been accepted with a 202.
 */
export class Load {
  readonly traces: SentTrace[] = []
  readonly accepted = new Set<string>()
  readonly #target: Target
  readonly #random: Random

  constructor(target: Target, random: Random) {
    this.#target = target
    this.#random = random
  }

  async run(ended: AbortSignal): Promise<void> {
    const send = async (): Promise<void> => {
      while (!ended.aborted) await this.#sendTrace()
    }
    await Promise.all(Array.from({ length: SENDERS }, send))
  }

  async #sendTrace(): Promise<void> {
    const random = this.#random
    const { trace, spans } = makeTrace(random)
    this.traces.push(trace)
    const parts = 1 + random.below(EXPORTS_MAX)
    const groups = Array.from({ length: parts }, (_, part) => spans.filter((_, index) => index % parts === part))
    const copies = groups
      .filter(group => group.length > 0)
      .flatMap(group => Array.from({ length: 1 + random.below(COPIES_MAX) }, () => group))
    for (const group of random.shuffled(copies)) await this.#deliver(group)
  }

  async #deliver(spans: readonly OtlpSpan[]): Promise<void> {
    const { receiverUrl, apiKey } = this.#target
    for (;;) {
      const body = exportOf(...spans)
      const answer = await call(receiverUrl, 'POST', '/api/otlp/v1/traces', `ApiKey ${apiKey}`, body).catch(() => null)
      if (answer?.status === 202) {
        for (const { trace_id, span_id } of answer.body.links) this.accepted.add(trace_id + span_id)
        return
      }
      if (answer && answer.status < 500) throw new Error(`refused: ${answer.status} ${answer.text}`)
      await delay(100)
    }
  }
}

function makeTrace(random: Random): { trace: SentTrace; spans: OtlpSpan[] } {
  const trace_id = random.hex(31).padEnd(32, '1')
  const nodes: TraceNode[] = []
  const spans: OtlpSpan[] = []
  for (let count = 1 + random.below(SPANS_MAX), index = 0; index < count; index++) {
    const parent = index === 0 ? undefined : random.pick(nodes)
    const span_id = random.hex(15).padEnd(16, '1')
    const tokens = random.below(100)
    const startMs = START_MS + random.below(1000)
    const parent_id = parent?.span_id ?? null
    const own = AMOUNTS.map(({ metric, key }, at) =>
      metric === 'tokens' && key === 'total' ? toAmount(tokens, at) : 0n,
    )
    nodes.push({
      span_id,
      parent_id,
      start_time: startMs * 1000,
      own,
      claimed: null,
      declared_trace_type: null,
      is_trace_type_explicit: false,
      repeats_usage: false,
      is_call: false,
    })
    spans.push(
      otlpSpan(
        {
          traceId: trace_id,
          spanId: span_id,
          ...(parent_id ? { parentSpanId: parent_id } : {}),
          startTimeUnixNano: `${startMs}000000`,
        },
        { 'ag.metrics.tokens.incremental.total': tokens },
      ),
    )
  }
  return { trace: { trace_id, nodes }, spans: random.shuffled(spans) }
}

const TOKENS = AMOUNTS.findIndex(({ metric, key }) => metric === 'tokens' && key === 'total')
const TRACES_AT_ONCE = 8

/** What is not as it should be, in words; empty when every span is there once and every total is the oracle's. */
export async function faultsIn(load: Load, target: Target): Promise<string[]> {
  const faults: string[] = []
  const sent = new Set(load.traces.flatMap(({ trace_id, nodes }) => nodes.map(({ span_id }) => trace_id + span_id)))
  for (const id of sent.symmetricDifference(load.accepted)) faults.push(`sent and accepted differ in ${id}`)
  const left = [...load.traces]
  const check = async (): Promise<void> => {
    for (let trace = left.pop(); trace; trace = left.pop()) faults.push(...(await faultsOf(trace, target)))
  }
  await Promise.all(Array.from({ length: TRACES_AT_ONCE }, check))
  return faults
}

async function faultsOf({ trace_id, nodes }: SentTrace, { apiUrl, apiKey }: Target): Promise<string[]> {
  const { status, body } = await call(apiUrl, 'GET', `/api/spans/?trace_id=${trace_id}`, `ApiKey ${apiKey}`)
  if (status !== 200) return [`${trace_id}: asked for it and got ${status}`]
  const expected = oracle(nodes)
  const stored: string[] = body.spans.map((span: { span_id: string }) => span.span_id)
  const faults: string[] = []
  for (const id of expected.keys()) {
    const times = stored.filter(one => one === id).length
    if (times !== 1) faults.push(`${trace_id}: span ${id} is stored ${times} times`)
  }
  for (const span of body.spans) {
    const total = Number(expected.get(span.span_id)?.cumulative[TOKENS] ?? -1n) / 1000
    const found = span.attributes.ag.metrics.tokens.cumulative?.total ?? 0
    if (found !== total) faults.push(`${trace_id}: span ${span.span_id} has ${found} tokens in all, not ${total}`)
  }
  return faults
}
