import { expect } from 'vitest'
import { eventually, newProject, type TestProject } from '../harness.ts'
import { exportOf, newSpanId, newTraceId, type OtlpSpan, otlpSpan } from '../otlp.ts'

/** The spans that filters are tried on. Every one carries its name here as the attribute `id`. */
export const SPAN_NAMES = ['root', 'model', 'tool', 'judge', 'foreign', 'orphan', 'bare'] as const

export const TRACE = {
  a: newTraceId(),
  judge: newTraceId(),
  foreign: newTraceId(),
  orphan: newTraceId(),
  bare: newTraceId(),
}
export const SPAN = Object.fromEntries(SPAN_NAMES.map(name => [name, newSpanId()])) as Record<
  (typeof SPAN_NAMES)[number],
  string
>
/** Ids that are in references and links only. */
export const APPLICATION_ID = '0d9f8e7c-1111-4222-8333-944455556666'
export const EVALUATOR_ID = '0d9f8e7c-1111-4222-8333-944455557777'
export const LINKED = { traceId: newTraceId(), spanId: newSpanId() }
export const MISSING_PARENT = newSpanId()

const times = (start: string, seconds = 1): Pick<OtlpSpan, 'startTimeUnixNano' | 'endTimeUnixNano'> => ({
  startTimeUnixNano: `${Date.parse(start)}000000`,
  endTimeUnixNano: `${Date.parse(start) + seconds * 1000}000000`,
})
const text = (value: string): object => ({ stringValue: value })

/** `bare` is sent twice, so that it is the one that has been updated. */
function fixtureSpans(): OtlpSpan[] {
  const root = otlpSpan(
    {
      ...times('2026-02-03T09:00:00Z', 4),
      traceId: TRACE.a,
      spanId: SPAN.root,
      name: 'Answer question',
      kind: 2,
      status: { code: 1 },
    },
    {
      id: 'root',
      plan: 'Pro',
      score: 5,
      ratio: 0.5,
      vip: true,
      codes: [1, 2, 3],
      labels: ['red', 'green'],
      nest: { a: { b: 1, c: 'x' } },
      items: [{ k: 'v1' }, { k: 'v2' }],
      text: 'The quick brown fox',
      sure: '100%_sure',
      'ag.type.node': 'workflow',
      'ag.session.id': 'chat-42',
      'ag.user.id': 'U-7',
      'ag.agent.id': 'bot',
      'ag.data.inputs': '{"question":"Capital of Peru?"}',
      'ag.data.outputs.__default__': 'Lima',
      'ag.refs.application.id': APPLICATION_ID,
      'ag.refs.application.slug': 'geo-bot',
      'ag.refs.application.version': '2',
      'ag.refs.application_revision.slug': 'geo-bot',
      'ag.refs.application_revision.version': '5',
      'ag.extra': 'parked',
    },
  )
  root.attributes?.push({ key: 'nothing', value: {} })
  const model = otlpSpan(
    {
      ...times('2026-02-03T09:00:01Z'),
      traceId: TRACE.a,
      spanId: SPAN.model,
      parentSpanId: SPAN.root,
      name: 'call_model',
      kind: 3,
      status: { code: 2, message: 'Rate limit: 100% used_up' },
      events: [
        { name: 'note', attributes: [{ key: 'note.level', value: text('high') }] },
        { name: 'exception', attributes: [{ key: 'exception.type', value: text('TimeoutError') }] },
      ],
    },
    {
      id: 'model',
      plan: 'pro',
      score: 12,
      ratio: '0.7',
      vip: false,
      codes: [3, 4],
      labels: ['RED'],
      text: 'quick quick slow',
      'gen_ai.request.model': 'gpt-x',
      'it\'s "odd"': 'yes',
      'ag.type.node': 'chat',
      'ag.session.id': 'chat-42',
      'ag.metrics.unit.tokens.prompt': 10,
      'ag.metrics.unit.tokens.completion': 5,
      'ag.metrics.unit.tokens.total': 15,
      'ag.metrics.unit.costs.total': 0.3,
    },
  )
  const tool = otlpSpan(
    {
      ...times('2026-02-03T09:00:02Z'),
      traceId: TRACE.a,
      spanId: SPAN.tool,
      parentSpanId: SPAN.model,
      name: 'lookup_tool',
    },
    {
      id: 'tool',
      plan: 'Enterprise',
      score: '12',
      codes: 3,
      text: 'a fox jumps; the quick one',
      'ag.type.node': 'tool',
    },
  )
  const judge = otlpSpan(
    {
      ...times('2026-02-03T09:01:00Z'),
      traceId: TRACE.judge,
      spanId: SPAN.judge,
      name: 'judge',
      links: [
        { traceId: TRACE.a, spanId: SPAN.root, attributes: [{ key: 'key', value: text('invocation') }] },
        { ...LINKED, attributes: [] },
      ],
    },
    {
      id: 'judge',
      score: 5.5,
      'ag.session.id': 'chat-43',
      'ag.user.id': 'u-8',
      'ag.refs.evaluator.id': EVALUATOR_ID,
      'ag.refs.evaluator.slug': 'exact-match',
      'ag.refs.evaluator.version': '3',
    },
  )
  const foreign = otlpSpan(
    {
      ...times('2026-02-04T00:00:00Z'),
      traceId: TRACE.foreign,
      spanId: SPAN.foreign,
      name: 'Über Straße',
      kind: 4,
    },
    {
      id: 'foreign',
      plan: 'PRO%',
      score: 'n/a',
      vip: 'true',
      nest: 'flat',
      text: 'Größe überall',
      'ag.refs.workflow.slug': 'geo-bot',
    },
  )
  const orphan = otlpSpan(
    {
      ...times('2025-12-31T23:59:59.250Z'),
      traceId: TRACE.orphan,
      spanId: SPAN.orphan,
      parentSpanId: MISSING_PARENT,
      name: 'call_model 2',
      kind: 5,
    },
    { id: 'orphan' },
  )
  return [root, model, tool, judge, foreign, orphan]
}

export interface FilterFixture {
  project: TestProject
  /** The names of the spans that satisfy all the conditions, in the order of {@link SPAN_NAMES}. */
  spansWith(...conditions: object[]): Promise<string[]>
  /** The names of spans in an answer, in the order of {@link SPAN_NAMES}. */
  namesOf(spans: any[]): string[]
}

/** A project that holds the fixture's spans, and nothing else. */
export async function openFilterFixture(): Promise<FilterFixture> {
  const project = await newProject()
  const bare = (name: string): OtlpSpan =>
    otlpSpan(
      { ...times('2026-02-05T00:00:00Z'), traceId: TRACE.bare, spanId: SPAN.bare, name, kind: 0 },
      { id: 'bare' },
    )
  await project.store(...fixtureSpans(), bare('first version'))
  await project.export(exportOf(bare('')))
  await eventually(async () => {
    const { body } = await project.get(`/api/spans/?span_id=${SPAN.bare}`)
    return body.spans[0].span_name === ''
  })
  const namesOf = (spans: any[]): string[] => {
    const found = spans.map(span => span.attributes.id)
    expect(new Set(found).size).toBe(found.length)
    return SPAN_NAMES.filter(name => found.includes(name))
  }
  return {
    project,
    namesOf,
    spansWith: async (...conditions) => {
      const answer = await project.post('/api/spans/query', { filtering: { conditions } })
      expect(answer.status, answer.text.slice(0, 500)).toBe(200)
      expect(answer.body.count).toBe(answer.body.spans.length)
      return namesOf(answer.body.spans)
    },
  }
}

/** `['root', 'tool']` from `root tool`; `*` are all, `*-root` are all but that one. */
export function namesIn(short: string): string[] {
  if (!short.startsWith('*')) return short.split(' ').filter(Boolean)
  const without = short.slice(1).split('-')
  return SPAN_NAMES.filter(name => !without.includes(name))
}
