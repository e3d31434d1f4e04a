import { Problem, type SpanId, type TraceId } from '@spanhouse/model'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SpanBatch } from '../bytes/span-batch.ts'
import type { Engine } from '../engine/engine.ts'
import type { Holder } from '../engine/holder.ts'
import { makeSpan, newProject, openTestEngine } from '../spans.testing.ts'
import { SpanWriter } from '../write/write.ts'
import { readSpansByIds } from './spans-by-ids.ts'

const MIB = 1024 * 1024
const LARGE = 'a'.repeat(32) as TraceId
const SMALL = 'b'.repeat(32) as TraceId
const LARGE_SPANS = 40

let engine: Engine
let close: () => Promise<void>
const project_id = newProject()
beforeAll(async () => {
  ;({ engine, close } = await openTestEngine())
  const batch = new SpanBatch()
  const sent = { project_id, user_id: newProject(), accepted_at: 1_770_000_000_000_000 }
  const add = (trace_id: TraceId, number: number, inputs: string): void => {
    const span_id = number.toString(16).padStart(16, '0') as SpanId
    const ag = { type: {}, data: { inputs }, metrics: { duration: {}, errors: {}, tokens: {}, costs: {} } }
    batch.add(sent, makeSpan({ trace_id, span_id, attributes: { ag } }))
  }
  for (let number = 1; number <= LARGE_SPANS; number++) add(LARGE, number, 'x'.repeat(MIB))
  for (let number = 1; number <= 3; number++) add(SMALL, number, 'x')
  await new SpanWriter(engine).write(batch)
})
afterAll(() => close())

/** Records what is held, and how much after each call. */
class Recorded implements Holder {
  readonly held: number[] = []
  bytes = 0
  readonly #bytesMax: number

  constructor(bytesMax = Infinity) {
    this.#bytesMax = bytesMax
  }

  hold(bytes: number): void {
    this.held.push(bytes)
    if (this.bytes + bytes > this.#bytesMax) throw new Problem('overloaded', 'no room')
    this.bytes += bytes
  }

  release(bytes: number): void {
    this.bytes -= bytes
  }
}

test('a large trace is reserved as a whole before it is read, and what it takes is held afterwards', async () => {
  const holder = new Recorded()
  const spans = await readSpansByIds(engine, { project_id, trace_ids: [LARGE] }, holder)
  expect(spans).toHaveLength(LARGE_SPANS)
  const bytes = spans.reduce((sum, span) => sum + span.byteLength, 0)
  expect(holder.held[0]).toBeGreaterThanOrEqual(LARGE_SPANS * MIB)
  expect(holder.held[0]).toBeLessThan(1.01 * bytes)
  expect(holder.bytes).toBe(bytes)
})

test('without room for all of it, nothing of it is read', async () => {
  const holder = new Recorded(LARGE_SPANS * MIB)
  await expect(readSpansByIds(engine, { project_id, trace_ids: [LARGE] }, holder)).rejects.toThrow('no room')
  expect(holder.held).toHaveLength(1)
  expect(holder.bytes).toBe(0)
})

test('a small trace, and one span of a large trace, are read at once', async () => {
  for (const ids of [{ trace_ids: [SMALL] }, { trace_ids: [LARGE], span_ids: ['0000000000000001' as SpanId] }]) {
    const holder = new Recorded()
    const spans = await readSpansByIds(engine, { project_id, ...ids }, holder)
    expect(holder.bytes).toBe(spans.reduce((sum, span) => sum + span.byteLength, 0))
    expect(Math.max(...holder.held)).toBeLessThan(2 * MIB)
  }
})
