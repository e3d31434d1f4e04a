import { expect } from 'vitest'
import { seeded } from '../faults/chaos/random.ts'
import { eventually, newProject, type TestProject } from '../harness.ts'
import { newSpanId, newTraceId, otlpSpan } from '../otlp.ts'

/*
 * Spans with equal times and amounts, some of them sent again with other values, some late, some of traces that are
 * deleted, while another project has spans of the same ids. What follows for each from its trace is computed here.
 */

/** Microseconds. */
export const START = Date.parse('2026-02-03T09:00:00Z') * 1000
export const MINUTE = 60_000_000

export interface Sent {
  traceId: string
  spanId: string
  parentSpanId?: string
  /** Microseconds; both. */
  start: number
  duration: number
  name: string
  /** 0, 1 or 2. */
  status: number
  type: 'workflow' | 'tool' | 'chat'
  session?: string
  user?: string
  tokens?: number
  /** In units of 10^-12 USD. */
  costs?: number
  model?: string
  application?: string
  environment?: string
  hasException?: boolean
  /** What it used is what its children used. */
  restates?: boolean
  /** Of any JSON type. */
  odd?: unknown
}

/** A span and what follows for it from its trace. */
export interface Shown extends Sent {
  total: { tokens: number; costs: number; errors: boolean }
  session_id: string
  user_id: string
  isHead: boolean
}

export const { below: random, pick } = seeded(20_261_130)

const NAMES = ['a', 'A', 'b', 'é', 'e\u0301', '😀', '\uffff', 'a b', '"q"\\', '0']
const ACTORS = [undefined, undefined, 'ann', 'Ann', 'é', '😀', '\uffff', 'ann ']
const TIMES = [0, 0, 1, MINUTE, MINUTE, MINUTE - 1, 2 * MINUTE, 3 * MINUTE + 7, 9 * MINUTE, 10 * MINUTE]
const DURATIONS = [0, 1, 1_000, 1_000, 1_001, 60_000_000, 250_000]
const TOKENS = [undefined, 0, 1, 5, 5, 7, 123_456_789]
const COSTS = [undefined, 0, 1, 300_000_000_000, 300_000_000_000, 100_000_000_000, 12_345_678_901_234_560]
const ODD = [
  undefined,
  null,
  0,
  5,
  5.5,
  -1e20,
  1e20,
  1e21,
  2 ** 53,
  '5',
  'five',
  '',
  true,
  false,
  [1, 'a', 'a'],
  ['b'],
  {},
]

function span(more: Partial<Sent> & Pick<Sent, 'traceId'>): Sent {
  return {
    spanId: newSpanId(),
    start: START + pick(TIMES),
    duration: pick(DURATIONS),
    name: pick(NAMES),
    status: random(3),
    type: 'workflow',
    session: pick(ACTORS),
    user: pick(ACTORS),
    application: pick([undefined, 'shop', 'Shop', 'sh-op']),
    environment: pick([undefined, 'live', 'test']),
    odd: pick(ODD),
    ...more,
  }
}

const chat = (more: Partial<Sent> & Pick<Sent, 'traceId'>): Sent =>
  span({ type: 'chat', tokens: pick(TOKENS), costs: pick(COSTS), model: pick([undefined, 'large', 'small']), ...more })

/** What a step uses that is no call of a model; no sum of what calls use. */
const STEPS_USE = [{}, {}, { tokens: 11 }, { costs: 700_000_000_000 }]

/** A root with some spans below it. */
function trace(): Sent[] {
  const traceId = newTraceId()
  if (random(6) === 0) return [chat({ traceId, hasException: random(3) === 0 })]
  const used = { tokens: 31, costs: 310_000_000_000 }
  const restates = random(6) === 0
  const root = span({ traceId, ...(restates && { ...used, restates }) })
  if (restates) return [root, chat({ traceId, parentSpanId: root.spanId, ...used })]
  const below = { traceId, parentSpanId: root.spanId }
  const tool = span({ ...below, type: 'tool', hasException: random(5) === 0, ...pick(STEPS_USE) })
  const spans = [root, tool, chat({ traceId, parentSpanId: tool.spanId }), chat(below)]
  return spans.slice(0, 1 + random(4))
}

const toOtlp = (sent: Sent) => {
  const times = { startTimeUnixNano: `${sent.start}000`, endTimeUnixNano: `${sent.start + sent.duration}000` }
  const events = sent.hasException ? { events: [{ name: 'exception', timeUnixNano: `${sent.start}000` }] } : {}
  const { traceId, spanId, parentSpanId, name, status } = sent
  const attributes = {
    'ag.type.node': sent.type,
    'ag.session.id': sent.session,
    'ag.user.id': sent.user,
    'ag.metrics.unit.tokens.total': sent.tokens,
    'ag.metrics.unit.costs.total': sent.costs === undefined ? undefined : Number(`${sent.costs}e-12`),
    'gen_ai.response.model': sent.model,
    'ag.references.application.slug': sent.application,
    'ag.references.environment.slug': sent.environment,
    'odd.value': sent.odd,
  }
  const given = Object.fromEntries(
    Object.entries(attributes).filter(([, value]) => value !== undefined && value !== null),
  )
  const parent = parentSpanId === undefined ? {} : { parentSpanId }
  return otlpSpan({ traceId, spanId, ...parent, name, status: { code: status }, ...times, ...events }, given)
}

/** The order of texts in ClickHouse. */
export const byBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other))

/** What a span used itself. */
export const ownOf = ({ tokens = 0, costs = 0, restates = false }: Sent): { tokens: number; costs: number } =>
  restates ? { tokens: 0, costs: 0 } : { tokens, costs }

/** What follows from all spans. */
function shownOf(sent: readonly Sent[]): Shown[] {
  const below = (top: Sent): Sent[] => [
    top,
    ...sent.filter(one => one.traceId === top.traceId && one.parentSpanId === top.spanId).flatMap(below),
  ]
  const earliest = (traceId: string, member: 'session' | 'user'): string =>
    sent
      .filter(one => one.traceId === traceId && one[member])
      .toSorted((one, other) => one.start - other.start || byBytes(one.spanId, other.spanId))[0]?.[member] ?? ''
  return sent.map(one => {
    const all = below(one)
    const isRoot = one.parentSpanId === undefined
    return {
      ...one,
      total: {
        tokens: all.reduce((sum, one) => sum + ownOf(one).tokens, 0),
        costs: all.reduce((sum, one) => sum + ownOf(one).costs, 0),
        errors: all.some(({ hasException }) => hasException),
      },
      session_id: one.session ?? (isRoot ? earliest(one.traceId, 'session') : ''),
      user_id: one.user ?? (isRoot ? earliest(one.traceId, 'user') : ''),
      isHead: isRoot,
    }
  })
}

/** Sends all of it, and resolves when the project shows what is left of it in the end. */
export async function storeOddSpans(): Promise<{ project: TestProject; spans: Shown[] }> {
  const projects = await Promise.all([newProject(), newProject()])
  const project = projects[0]
  const traces = Array.from({ length: 45 }, trace)
  const [deleted, kept] = [traces.slice(0, 5), traces.slice(5)]
  const all = kept.flat()
  // Two spans of the same id and time in different traces.
  const twin = span({ traceId: newTraceId(), spanId: all[0]?.spanId as string, start: all[0]?.start as number })
  all.push(twin)
  const first = all.map(one => (random(3) === 0 ? { ...one, ...span(one), name: 'old', tokens: 9, costs: 7 } : one))
  const others = all.map(one => ({ ...one, name: 'theirs', tokens: 1_000, user: 'theirs' }))
  const late = all.filter(one => one.parentSpanId !== undefined && random(3) === 0)
  const send = async (to: TestProject, sent: readonly Sent[]): Promise<void> => {
    const answer = await to.post('/api/otlp/v1/traces', {
      resourceSpans: [{ scopeSpans: [{ spans: sent.map(toOtlp) }] }],
    })
    expect(answer.body?.count, answer.text).toBe(sent.length)
  }
  await send(project, [...deleted.flat(), ...first.filter(one => !late.some(({ spanId }) => spanId === one.spanId))])
  await send(projects[1], others)
  await send(project, all)
  for (const [one] of deleted) await project.send('DELETE', `/api/traces/${one?.traceId}`)
  const last = span({ traceId: newTraceId(), name: 'last' })
  await send(project, [last])
  const spans = shownOf([...all, last])
  await eventually(async () => {
    const { body } = await project.post('/api/spans/query', { windowing: { limit: 1_000 } })
    const found = new Map<string, any>(body.spans.map((one: any) => [one.trace_id + one.span_id, one]))
    return (
      found.size === spans.length &&
      spans.every(({ traceId, spanId, name, total }) => {
        const one = found.get(traceId + spanId)
        const { tokens } = one?.attributes.ag.metrics ?? {}
        return one?.span_name === name && (tokens?.cumulative?.total ?? 0) === total.tokens
      })
    )
  })
  return { project, spans }
}
