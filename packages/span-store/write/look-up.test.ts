import type { Json, JsonObject, Span } from '@spanhouse/model'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sampledRuns } from '../../../test/sets/sample.ts'
import { SpanBatch } from '../bytes/span-batch.ts'
import { makeSpan, newProject, openTestEngine } from '../spans.testing.ts'
import { lookUpTraces } from './statements.ts'
import { SpanWriter } from './write.ts'

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.constantFrom('', 'a\u0000b', '\x7f', '"\\"', '\ud83d', 'openai/gpt-4o-2024-08-06', 'y'.repeat(201)),
  // Longer than what is kept, and cut within a character.
  fc.constant(`${'z'.repeat(299)}😀`),
)
const number = fc.oneof(
  fc.constantFrom(0, 0.1, 1e-20, 1e21, 1e9 + 1, 2 ** 53),
  fc.double({ noNaN: true }),
  fc.integer(),
)
const any = fc.oneof(text, number, fc.jsonValue()) as fc.Arbitrary<Json>
const some = <T>(members: { [K in keyof T]: fc.Arbitrary<T[K]> }) => fc.record(members, { requiredKeys: [] })
const amounts = some({ prompt: number, completion: number, total: number })
const views = some({ incremental: amounts, cumulative: amounts })

const drawn = fc.record({
  ag: some({
    exception: some({ type: any, message: any }),
    metrics: some({
      errors: some({ incremental: fc.constantFrom(1, 2), cumulative: number }),
      tokens: views,
      costs: views,
    }),
    meta: some({ request: some({ model: any }), response: some({ model: any }) }),
    session: fc.record({ id: text }),
    user: fc.record({ id: text }),
    data: fc.record({ outputs: any }),
  }),
  scope: some({ name: any }),
  span_type: fc.constantFrom('chat' as const, 'tool' as const, 'task' as const),
  start_time: fc.constantFrom(0, 1_770_000_000_000_000, 8_900_000_000_000_000),
  duration: fc.constantFrom(0, 1, 5_000_000),
})

test('a span that is looked up is to its trace what it was when it came', async () => {
  const { engine, close } = await openTestEngine()
  const check = async (all: (typeof drawn extends fc.Arbitrary<infer T> ? T : never)[]): Promise<void> => {
    const project_id = newProject()
    const trace_id = '1'.repeat(32)
    const spans = all.map(({ ag, scope, start_time, duration, span_type }, index): Span => {
      const actors = { session_id: ag.session?.id || undefined, user_id: ag.user?.id || undefined }
      const attributes = { ag: ag as JsonObject, scope: scope as JsonObject }
      const times = { start_time, end_time: start_time + duration }
      const ids = { trace_id, span_id: String(index).padStart(16, '0') }
      return makeSpan({ ...ids, ...actors, ...times, span_type, attributes })
    })
    const batch = SpanBatch.of(spans.map(span => ({ project_id, user_id: project_id, accepted_at: 1, span })))
    const expected = batch.spans.map(span => batch.nodeOf(span))
    await new SpanWriter(engine).write(batch)
    const found = new Map<string, unknown>()
    await lookUpTraces(engine, [{ project_id, trace_id }], ({ node }) => found.set(node.span_id, node))
    for (const node of expected) expect(found.get(node.span_id)).toEqual(node)
  }
  const runs = fc.asyncProperty(fc.array(drawn, { minLength: 20, maxLength: 40 }), check)
  await fc.assert(runs, { numRuns: sampledRuns(20) }).finally(close)
})
