import { beforeAll, expect, test } from 'vitest'
import { eventually, newProject, type TestProject } from '../harness.ts'
import { exportOf, newSpanId, newTraceId, otlpSpan } from '../otlp.ts'

let project: TestProject
const traceId = newTraceId()
const root = newSpanId()

/** A text that is stored apart from shorter ones. */
const longText = (word: string): string => `${'the history of a long conversation, again, '.repeat(2_000)}${word}`
const START = 1_770_109_200_000_000_000n
const spanOf = (second: number, spanId: string, output: string) =>
  otlpSpan(
    {
      traceId,
      spanId,
      ...(spanId === root ? {} : { parentSpanId: root }),
      startTimeUnixNano: String(START + BigInt(second) * 1_000_000_000n),
      endTimeUnixNano: String(START + BigInt(second + 1) * 1_000_000_000n),
    },
    { 'ag.data.outputs': output, 'output.value': output },
  )
const [first, second] = [newSpanId(), newSpanId()]
const spans = [
  spanOf(0, root, 'a short answer about perigee'),
  spanOf(1, first, longText('perihelion')),
  spanOf(2, second, longText('aphelion')),
]

beforeAll(async () => {
  project = await newProject()
  await project.store(...spans)
})

const idsWhere = async (condition: object): Promise<string[]> => {
  const { status, body } = await project.post('/api/spans/query', { filtering: { conditions: [condition] } })
  expect(status).toBe(200)
  return body.spans.map((span: any) => span.span_id).sort()
}
const content = (value: string): object => ({ field: 'content', operator: 'contains', value })
const output = (operator: string, value: string, key = 'ag.data.outputs'): object => ({
  field: 'attributes',
  key,
  operator,
  value,
})
const outputsOf = async (spanId: string): Promise<string[]> => {
  const { attributes } = (await project.get(`/api/spans/${traceId}/${spanId}`)).body.span
  return [attributes.ag.data.outputs, attributes.output.value]
}

test('long values are complete wherever they are read', async () => {
  expect(await outputsOf(root)).toEqual(Array(2).fill('a short answer about perigee'))
  expect(await outputsOf(first)).toEqual(Array(2).fill(longText('perihelion')))
  const { body } = await project.get(`/api/spans/${traceId}/${second}/parts?part=outputs&offset=86000&length=1000`)
  expect(body.parts[0]).toMatchObject({
    part: 'outputs',
    text: `${JSON.stringify(longText('aphelion')).slice(86_000)}`,
  })
})

test('long and short values are found by the same conditions', async () => {
  const both = [first, second].sort()
  expect(await idsWhere(content('perihelion'))).toEqual([first])
  expect(await idsWhere(content('"long conversation" aphelion'))).toEqual([second])
  expect(await idsWhere(content('perigee or aphelion'))).toEqual([root, second].sort())
  expect(await idsWhere(output('contains', 'HISTORY OF A LONG'))).toEqual(both)
  expect(await idsWhere(output('endswith', 'helion'))).toEqual(both)
  expect(await idsWhere(output('endswith', 'again, aphelion', 'output.value'))).toEqual([second])
  expect(await idsWhere(content('nowhere'))).toEqual([])
})

test('a long span that comes again counts once, and a changed one has its new values alone', async () => {
  await project.export(exportOf(...spans))
  await project.store(spanOf(3, newSpanId(), 'behind them'))
  expect((await project.get(`/api/spans/?trace_id=${traceId}`)).body.count).toBe(4)
  await project.export(exportOf(spanOf(0, root, longText('perilune')), spanOf(1, first, 'short by now')))
  await eventually(async () => (await outputsOf(first))[0] === 'short by now')
  expect(await outputsOf(first)).toEqual(Array(2).fill('short by now'))
  expect(await outputsOf(root)).toEqual(Array(2).fill(longText('perilune')))
  expect(await idsWhere(content('perilune'))).toEqual([root])
  expect(await idsWhere(content('perihelion'))).toEqual([])
  expect(await idsWhere(content('perigee'))).toEqual([])
})

test('a trace of long spans is deleted whole', async () => {
  expect((await project.send('DELETE', `/api/traces/${traceId}`)).status).toBe(202)
  expect(await idsWhere(content('aphelion'))).toEqual([])
})
