import { expect, test } from 'vitest'
import { plainTree, type ShownSpan } from './plain-tree.ts'

const span = (span_id: string, parent_id?: string, span_name = span_id): ShownSpan => ({
  span_id,
  parent_id,
  span_name,
  start_time: Number(span_id.slice(1)),
  toJSON: () => ({ span_id }),
})

test('children are below their parent, by name', () => {
  const spans = [span('s1'), span('s2', 's1', 'call'), span('s3', 's1', 'call'), span('s4', 's3')]
  expect(plainTree(spans)).toEqual({
    s1: {
      span_id: 's1',
      spans: { call: [{ span_id: 's2' }, { span_id: 's3', spans: { s4: { span_id: 's4' } } }] },
    },
  })
})

test('spans nested without end are beside each other below the hundredth level', () => {
  const spans = Array.from({ length: 20_000 }, (_, n) => span(`s${n}`, n === 0 ? undefined : `s${n - 1}`, 'call'))
  let level: any = plainTree(spans)
  let depth = 1
  for (; level.call.spans; depth++) level = level.call.spans
  expect(depth).toBe(100)
  expect(level.call).toEqual(spans.slice(99).map(({ span_id }) => ({ span_id })))
})
