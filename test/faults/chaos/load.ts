import { setTimeout as delay } from 'node:timers/promises'
import { AMOUNTS, type TraceNode, toAmount } from '@spanhouse/model'
import { oracle } from '@spanhouse/model/totals/oracle.testing.ts'
import { plainNode } from '@spanhouse/model/totals/trace-nodes.testing.ts'
import { call } from '../../harness.ts'
import { exportOf, type OtlpSpan, otlpSpan } from '../../otlp.ts'
import type { Random } from './random.ts'
import { faultOfRefusal } from './refusal.ts'

/** Where to send and query; the addresses stay the same over restarts. */
export interface Target {
  receiverUrl: string
  /** Of exports over gRPC. */
  grpcUrl: string
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
/** Between the starts of two traces; one takes a second. What started together is stored together, and read fast. */
const TRACE_EVERY_MS = 10

/**
 * Sends traces until it is stopped: trees of a few spans, cut into a few exports, each of which is delivered one to
 * five times, all in any order. An export that is refused or whose answer is lost is sent again, so in the end all that
 * was ever sent has been accepted with a 202.
 */
export class Load {
  readonly traces: SentTrace[] = []
  /** Trace and span id → when it was first accepted (202), in seconds since the load began. */
  readonly accepted = new Map<string, number>()
  /** Exports that were refused for good. */
  readonly faults: string[] = []
  readonly #began = performance.now()
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
    const { trace, spans } = makeTrace(random, START_MS + this.traces.length * TRACE_EVERY_MS)
    this.traces.push(trace)
    const parts = 1 + random.below(EXPORTS_MAX)
    const groups = Array.from({ length: parts }, (_, part) => spans.filter((_, index) => index % parts === part))
    const copies = groups
      .filter(group => group.length > 0)
      .flatMap(group => Array.from({ length: 1 + random.below(COPIES_MAX) }, () => group))
    for (const group of random.shuffled(copies)) await this.#deliver(group)
  }

  #note(id: string): void {
    if (!this.accepted.has(id)) this.accepted.set(id, (performance.now() - this.#began) / 1000)
  }

  async #deliver(spans: readonly OtlpSpan[]): Promise<void> {
    const { receiverUrl, apiKey } = this.#target
    for (;;) {
      const body = exportOf(...spans)
      const answer = await call(receiverUrl, 'POST', '/api/otlp/v1/traces', `ApiKey ${apiKey}`, body).catch(() => null)
      if (answer?.status === 202) {
        for (const { trace_id, span_id } of answer.body.links) this.#note(trace_id + span_id)
        return
      }
      const fault = answer && faultOfRefusal(answer)
      if (fault) {
        this.faults.push(`an export: ${fault}`)
        return
      }
      await delay(100)
    }
  }
}

function makeTrace(random: Random, beginMs: number): { trace: SentTrace; spans: OtlpSpan[] } {
  const trace_id = random.hex(31).padEnd(32, '1')
  const nodes: TraceNode[] = []
  const spans: OtlpSpan[] = []
  for (let count = 1 + random.below(SPANS_MAX), index = 0; index < count; index++) {
    const parent = index === 0 ? undefined : random.pick(nodes)
    const span_id = random.hex(15).padEnd(16, '1')
    const tokens = random.below(100)
    const startMs = beginMs + random.below(1000)
    const parent_id = parent?.span_id ?? null
    const own = AMOUNTS.map(({ metric, key }, at) =>
      metric === 'tokens' && key === 'total' ? toAmount(tokens, at) : 0n,
    )
    nodes.push(plainNode({ span_id, parent_id, start_time: startMs * 1000, own }))
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
/** Of at most twelve spans each: one page of the interface. */
const TRACES_A_QUERY = 80

/** Describes what is wrong; empty if every span is stored once and every total is that of the oracle. */
export async function faultsIn(load: Load, target: Target): Promise<string[]> {
  const faults = [...load.faults]
  const sent = new Set(load.traces.flatMap(({ trace_id, nodes }) => nodes.map(({ span_id }) => trace_id + span_id)))
  for (const id of sent.symmetricDifference(new Set(load.accepted.keys())))
    faults.push(`sent and accepted differ in ${id}`)
  for (let from = 0; from < load.traces.length; from += TRACES_A_QUERY) {
    const traces = load.traces.slice(from, from + TRACES_A_QUERY)
    const spans = Map.groupBy(await spansOf(traces, target), span => span.trace_id)
    for (const trace of traces) faults.push(...faultsOf(trace, spans.get(trace.trace_id) ?? [], load))
  }
  return faults
}

interface StoredSpan {
  trace_id: string
  span_id: string
  attributes: { ag: { metrics: { tokens: { cumulative?: { total?: number } } } } }
}

async function spansOf(traces: readonly SentTrace[], { apiUrl, apiKey }: Target): Promise<StoredSpan[]> {
  const conditions = [{ field: 'trace_id', operator: 'in', value: traces.map(({ trace_id }) => trace_id) }]
  // One more than there can be: a span that is stored twice must not be cut off.
  const windowing = { limit: TRACES_A_QUERY * SPANS_MAX + 1 }
  const asked = { filtering: { conditions }, windowing }
  const { status, body, text } = await call(apiUrl, 'POST', '/api/spans/query', `ApiKey ${apiKey}`, asked)
  if (status !== 200) throw new Error(`asked for ${traces.length} traces and got ${status}: ${text}`)
  return body.spans
}

function faultsOf({ trace_id, nodes }: SentTrace, spans: readonly StoredSpan[], { accepted }: Load): string[] {
  const expected = oracle(nodes)
  const stored = spans.map(({ span_id }) => span_id)
  const faults: string[] = []
  for (const id of expected.keys()) {
    const times = stored.filter(one => one === id).length
    const at = accepted.get(trace_id + id)?.toFixed(1)
    if (times !== 1) faults.push(`${trace_id}: span ${id}, accepted at ${at} s, is stored ${times} times`)
  }
  for (const span of spans) {
    const total = Number(expected.get(span.span_id)?.cumulative[TOKENS] ?? -1n) / 1000
    const found = span.attributes.ag.metrics.tokens.cumulative?.total ?? 0
    if (found !== total) faults.push(`${trace_id}: span ${span.span_id} has ${found} tokens in all, not ${total}`)
  }
  return faults
}
