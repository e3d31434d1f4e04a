import { describe, expect, test } from 'vitest'
import { eventually, newProject, type TestProject } from '../harness.ts'
import { newTraceId, otlpSpan } from '../otlp.ts'

const usage = (input: number, output: number) => ({ 'ai.usage.inputTokens': input, 'ai.usage.outputTokens': output })

/** Two calls to a model, and around them a span that repeats what they used. */
function traceAround(outerAttributes: Record<string, unknown>) {
  const traceId = newTraceId()
  const outer = otlpSpan({ traceId, name: 'outer' }, outerAttributes)
  const call = (name: string, input: number, output: number) =>
    otlpSpan(
      { traceId, name, parentSpanId: outer.spanId },
      {
        'ai.operationId': 'ai.generateText.doGenerate',
        'ai.model.provider': 'openai.chat',
        'ai.response.model': 'gpt-4o-mini-2024-07-18',
        ...usage(input, output),
      },
    )
  return { traceId, outer, first: call('first', 100, 10), second: call('second', 200, 20) }
}

/** Who repeats the sum, or the last call alone, and what the total is while only the first call is known. */
const OUTER: [string, attributes: Record<string, unknown>, early: number][] = [
  [
    'a span that nobody knows anything of',
    { 'ag.metrics.unit.tokens.prompt': 300, 'ag.metrics.unit.tokens.completion': 30 },
    400,
  ],
  ['an operation of the AI SDK', { 'ai.operationId': 'ai.generateText', ...usage(300, 30) }, 300],
  ['one that repeats the last call alone', { 'ai.operationId': 'ai.generateText', ...usage(200, 20) }, 200],
]

/** The spans of a trace by name, as soon as they are what is expected: totals of stored spans follow a new one. */
async function expectSpans(project: TestProject, traceId: string, expected: Record<string, object>): Promise<void> {
  await eventually(async () => {
    const { body } = await project.get(`/api/spans/?trace_id=${traceId}`)
    expect(Object.fromEntries(body.spans.map((span: any) => [span.span_name, span]))).toMatchObject(expected)
    return true
  })
}

const withMetrics = (metrics: object, members: object = {}): object => ({ attributes: { ag: { metrics } }, ...members })

describe.concurrent('usage', () => {
  test.each(OUTER)('that is reported twice counts once: by %s', async (_, attributes, early) => {
    const project = await newProject()
    const { traceId, outer, first, second } = traceAround(attributes)
    await project.store(outer)
    await project.store(first)
    await expectSpans(project, traceId, {
      first: {},
      outer: withMetrics({ tokens: { cumulative: expect.objectContaining({ prompt: early }) } }),
    })
    await project.store(second)
    const metrics = {
      tokens: { cumulative: { prompt: 300, completion: 30 } },
      costs: { cumulative: { prompt: 0.000045, completion: 0.000018, total: 0.000063 } },
    }
    await expectSpans(project, traceId, { outer: withMetrics(metrics, { restates: ['tokens'] }) })
  })

  test('of a model has a price, unless the client has sent one', async () => {
    const project = await newProject()
    const traceId = newTraceId()
    const chat = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.usage.input_tokens': 1000,
      'gen_ai.usage.output_tokens': 100,
    }
    await project.store(
      otlpSpan({ traceId, name: 'priced' }, { ...chat, 'gen_ai.response.model': 'gpt-4o-mini' }),
      otlpSpan(
        { traceId, name: 'sent' },
        { ...chat, 'gen_ai.response.model': 'gpt-4o-mini', 'ag.metrics.unit.costs.total': 2 },
      ),
      otlpSpan({ traceId, name: 'unknown' }, { ...chat, 'gen_ai.response.model': 'house-model' }),
    )
    const costs = { prompt: 0.00015, completion: 0.00006, total: 0.00021 }
    await expectSpans(project, traceId, {
      priced: withMetrics({ costs: { incremental: costs, cumulative: costs } }),
      sent: withMetrics({ costs: { incremental: { total: 2 } } }),
      unknown: withMetrics({ costs: {} }),
    })
    const { body } = await project.get(`/api/spans/?trace_id=${traceId}`)
    const unknown = body.spans.find((span: any) => span.span_name === 'unknown')
    expect(unknown.attributes.ag.metrics.costs).toEqual({})
  })
})
