import { performance } from 'node:perf_hooks'
import { status } from '@grpc/grpc-js'
import { expect, inject, test } from 'vitest'
import { callGrpc } from '../grpc.ts'
import { eventually, newProject, type TestProject } from '../harness.ts'
import { newTraceId, type OtlpSpan, otlpSpan, protobufOf } from '../otlp.ts'
import { firstOfEach } from '../sets/sample.ts'

const { grpcUrl } = inject('target')

const overGrpc = async ({ apiKey }: TestProject, bytes: Uint8Array): Promise<void> => {
  const answer = await callGrpc(grpcUrl, bytes, { headers: { authorization: `ApiKey ${apiKey}` }, gzip: true })
  expect(answer).toMatchObject({ code: status.OK, message: Buffer.alloc(0) })
}
const overHttp = async (project: TestProject, bytes: Uint8Array): Promise<void> => {
  const answer = await project.export(bytes, { 'content-type': 'application/x-protobuf' })
  expect(answer).toMatchObject({ status: 202 })
}
const DOORS = { http: overHttp, gRPC: overGrpc }

/** Attributes of every convention whose values are of another kind than their convention says. */
const ODD: Record<string, unknown>[] = [
  { 'gen_ai.usage.input_tokens': '12', 'gen_ai.usage.output_tokens': 'many', 'gen_ai.usage.total_tokens': '1e999' },
  { 'gen_ai.input.messages': 5, 'gen_ai.output.messages': true, 'gen_ai.system_instructions': ['a', 1] },
  { 'gen_ai.input.messages': '[[[]]]', 'gen_ai.output.messages': '{"role":{"role":[]}}', events: '[1,null,"x"]' },
  { 'gen_ai.input.messages': '[{"role":1,"parts":{"type":"text"}},null]', 'gen_ai.operation.name': ['chat'] },
  { 'llm.token_count.prompt': '-5', 'llm.token_count.completion': ['7'], 'llm.token_count.total': { a: 1 } },
  { 'llm.input_messages.0.message.role': ['user'], 'llm.input_messages.x.message': 1, 'llm.input_messages': 'no list' },
  { 'llm.input_messages.999999999.message.content': 'far', 'llm.tools.-1.tool.json_schema': '{' },
  { 'openinference.span.kind': 5, 'input.value': ['a'], 'input.mime_type': 7, 'output.value': '{"$ref":"#"}' },
  { 'traceloop.span.kind': ['workflow'], 'traceloop.entity.input': '{"inputs":', 'traceloop.entity.output': '[]' },
  { 'gen_ai.prompt.0.content': '{"a":{"$ref":"#/a"}}', 'gen_ai.prompt': 'scalar first', 'gen_ai.completion.0': 'x' },
  { 'ai.prompt': 5, 'ai.prompt.messages': '{"not":"a list"}', 'ai.usage.promptTokens': '3', 'ai.response.text': ['t'] },
  { 'ai.operationId': ['ai.generateText'], 'ai.response.toolCalls': '"text"', 'ai.response.object': 'undefined' },
  { 'langfuse.observation.input': 1, 'langfuse.observation.usage_details': '[1]', 'langfuse.observation.type': true },
  { 'langfuse.observation.cost_details': '{"input":"free"}', 'langfuse.session.id': 5, 'langfuse.trace.tags': 'a,b' },
  {
    'ag.data.inputs': 7,
    'ag.metrics': 'x',
    'ag.references.application': 'x',
    'ag.type.span': ['llm'],
    'ag.refs.a.b': 1,
  },
  { 'session.id': ['s'], 'user.id': 5, metadata: '{"__proto__":{"a":1}}', 'tag.tags': '{"constructor":1}' },
]

test.each(Object.entries(DOORS))(
  'values of another kind than conventions say are stored over %s',
  async (_name, send) => {
    const project = await newProject()
    const traceId = newTraceId()
    const spans = ODD.map(attributes => otlpSpan({ traceId }, attributes))
    await send(project, protobufOf(...spans))
    await eventually(async () => (await project.get(`/api/spans/?trace_id=${traceId}`)).body.count === spans.length)
    const { body } = await project.get(`/api/traces/${traceId}`)
    expect(body.count).toBe(1)
  },
)

/** JSON text of so many bytes, nested or long, where conventions parse it. */
const LARGE: [name: string, text: (bytes: number) => string][] = [
  ['messages', bytes => `[${'{"role":"user","content":"hello"},'.repeat(bytes / 34)}{"role":"user"}]`],
  ['open brackets', bytes => '['.repeat(bytes)],
  ['escapes', bytes => `"${'\\u005c'.repeat(bytes / 6)}"`],
]
const MEMBERS = ['gen_ai.input.messages', 'ai.prompt.messages', 'langfuse.observation.input', 'traceloop.entity.input']

/** Both doors pass the bytes on, so a sample takes the first. */
const AT_DOORS = LARGE.flatMap(([name, text]) => Object.keys(DOORS).map(door => [name, door, text] as const))

test.each(firstOfEach(AT_DOORS, ([name]) => name))(
  'large JSON text, %s, over %s, takes time in proportion to its size',
  async (_name, door, text) => {
    const project = await newProject()
    const secondsFor = async (bytes: number): Promise<number> => {
      const spans: OtlpSpan[] = MEMBERS.map(key =>
        otlpSpan({ traceId: newTraceId() }, { [key]: text(bytes / MEMBERS.length) }),
      )
      const before = performance.now()
      await DOORS[door as keyof typeof DOORS](project, protobufOf(...spans))
      const ids = spans.map(({ traceId }) => traceId).join()
      await eventually(async () => (await project.get(`/api/spans/?trace_ids=${ids}`)).body.count === spans.length)
      return (performance.now() - before) / 1000
    }
    await secondsFor(900_000)
    const [small, large] = [await secondsFor(900_000), await secondsFor(9_000_000)]
    // Ten times the bytes; what grows with their square takes a hundred times as long.
    expect(large).toBeLessThan(Math.max(small, 0.2) * 40)
  },
)
