import { type JsonObject, type NestedSpan, nestSpans, renderJson } from '@spanhouse/model'
import { expect, test } from 'vitest'
import { treeJson } from './trace-json.ts'

class Span implements NestedSpan {
  readonly span_id: string
  readonly span_name: string
  readonly start_time: number
  readonly parent_id: string | undefined

  constructor(span_id: string, span_name: string, second: number, parent_id?: string) {
    this.span_id = span_id
    this.span_name = span_name
    this.start_time = second
    this.parent_id = parent_id
  }

  toJSON(): JsonObject {
    return { span_id: this.span_id, span_name: this.span_name, attributes: { 'a"b': [null, 1.5] } }
  }
}

const span = (...given: ConstructorParameters<typeof Span>): Span => new Span(...given)

async function traceToJson(spans: Span[]): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of renderJson(treeJson(nestSpans(spans)))) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

test('children stand in their parent by name', async () => {
  const spans = [
    span('1', 'root', 1),
    span('2', 'step', 2, '1'),
    span('3', 'step', 3, '1'),
    span('4', '', 4, '3'),
    span('5', '__proto__', 4, '3'),
  ]
  const [one, two, three, four, five] = spans.map(span => JSON.stringify(span).slice(0, -1))
  expect(await traceToJson(spans)).toBe(
    `{"root":${one},"spans":{"step":[${two}},${three},"spans":{"":${four}},"__proto__":${five}}}}]}}}`,
  )
})

test('the root that started last comes first, whatever the names', async () => {
  const spans = [
    span('1', '1', 1),
    span('2', '2', 2),
    span('3', 'c', 3),
    span('4', '0', 4, '9'),
    span('5', 'a', 5, '9'),
  ]
  const text = await traceToJson(spans)
  expect([...text.matchAll(/"span_name":"(.)"/g)].map(match => match[1])).toEqual(['c', '2', '1', '0', 'a'])
})

test('a trace may be a hundred thousand deep, or wide', async () => {
  const count = 100_000
  const deep = Array.from({ length: count }, (_, n) => span(String(n), 'n', 0, n === 0 ? undefined : String(n - 1)))
  const text = await traceToJson(deep)
  expect(text.match(/"span_id"/g)).toHaveLength(count)
  expect(text.endsWith('}'.repeat(2 * count + 1))).toBe(true)
  const wide = Array.from({ length: count }, (_, n) => span(String(n), 'n', 0, n === 0 ? undefined : '0'))
  expect(JSON.parse(await traceToJson(wide)).n.spans.n).toHaveLength(count - 1)
})

test('no spans make an empty tree', async () => {
  expect(await traceToJson([])).toBe('{}')
})
