import { type FlatSpan, nestSpans } from '@spanhouse/model'
import { expect, test } from 'vitest'
import { traceToJson } from './trace-json.ts'

const span = (span_id: string, span_name: string, second: number, parent_id?: string): FlatSpan => ({
  span_id,
  ...(parent_id === undefined ? {} : { parent_id }),
  span_name,
  start_time: `2026-02-03T09:00:0${second}Z`,
  attributes: { 'a"b': [null, 1.5] },
})

test('it is the JSON of the tree', () => {
  const spans = [
    span('1', 'root', 1),
    span('2', 'step', 2, '1'),
    span('3', 'step', 3, '1'),
    span('4', '', 4, '3'),
    span('5', '__proto__', 4, '3'),
  ]
  const tree = nestSpans(spans)
  expect(traceToJson('t', tree)).toBe(JSON.stringify({ trace_id: 't', spans: tree }))
})

test('the root that started last comes first, whatever the names', () => {
  const spans = [
    span('1', '1', 1),
    span('2', '2', 2),
    span('3', 'c', 3),
    span('4', '0', 4, '9'),
    span('5', 'a', 5, '9'),
  ]
  const text = traceToJson('t', nestSpans(spans))
  expect([...text.matchAll(/"span_name":"(.)"/g)].map(match => match[1])).toEqual(['c', '2', '1', '0', 'a'])
})

test('a trace may be a hundred thousand deep, or wide', () => {
  const count = 100_000
  const deep = Array.from({ length: count }, (_, n) => span(String(n), 'n', 0, n === 0 ? undefined : String(n - 1)))
  const text = traceToJson('t', nestSpans(deep))
  expect(text.match(/"span_id"/g)).toHaveLength(count)
  expect(text.endsWith('}'.repeat(2 * count + 1))).toBe(true)
  const wide = Array.from({ length: count }, (_, n) => span(String(n), 'n', 0, n === 0 ? undefined : '0'))
  expect(JSON.parse(traceToJson('t', nestSpans(wide))).spans.n.spans.n).toHaveLength(count - 1)
})

test('no spans make an empty tree', () => {
  expect(traceToJson('t', nestSpans([]))).toBe('{"trace_id":"t","spans":{}}')
})
