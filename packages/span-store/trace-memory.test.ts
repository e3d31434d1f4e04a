import { expect, test } from 'vitest'
import { type StoredNode, TraceMemory, type TraceState } from './trace-memory.ts'

const traceOf = (spans: number): TraceState => ({
  ...{ project_id: 'p', trace_id: 't', isRootless: false, deleted_at: 0 },
  nodes: new Map(Array.from({ length: spans }, (_, index) => [String(index), {} as StoredNode])),
})

test('what was not touched for longest goes first, and a trace that is too large alone stays until another one comes', () => {
  const memory = new TraceMemory(4)
  memory.put('a', traceOf(2))
  memory.put('b', traceOf(2))
  memory.put('a', traceOf(2))
  memory.put('c', traceOf(1))
  expect(['a', 'b', 'c'].filter(key => memory.get(key))).toEqual(['a', 'c'])
  memory.put('large', traceOf(9))
  memory.put('large', traceOf(10))
  expect(['a', 'c', 'large'].filter(key => memory.get(key))).toEqual(['large'])
  expect(memory.spans).toBe(10)
  memory.put('d', traceOf(1))
  expect(['large', 'd'].filter(key => memory.get(key))).toEqual(['d'])
  expect(memory.spans).toBe(1)
})

test('a trace that grows while it is kept is counted as it is', () => {
  const memory = new TraceMemory(10)
  for (let number = 0; number < 100; number++) {
    const key = String(number)
    const trace = traceOf(1)
    memory.put(key, trace)
    trace.nodes = traceOf(5).nodes
    memory.put(key, trace)
    expect(memory.spans).toBe(number === 0 ? 5 : 10)
  }
  expect(Array.from({ length: 100 }, (_, number) => memory.get(String(number))).filter(Boolean)).toHaveLength(2)
})
