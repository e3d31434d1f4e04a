import { randomUUID } from 'node:crypto'
import type { SpanId } from '@spanhouse/model'
import { compileSpansByIds } from '@spanhouse/query'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sampledRuns } from '../../../test/sets/sample.ts'
import { type IncomingSpan, SpanBatch } from '../bytes/span-batch.ts'
import type { Engine } from '../engine/engine.ts'
import { SPAN_COLUMNS } from '../read/row.ts'
import { readSpans } from '../read/stored-span.ts'
import { makeSpan, newProject, openTestEngine } from '../spans.testing.ts'
import { deletedSpans, type TraceDeletion } from './deletions.ts'
import { SpanWriter } from './write.ts'

let engine: Engine
let close: () => Promise<void>
beforeAll(async () => {
  ;({ engine, close } = await openTestEngine())
})
afterAll(() => close())

const SENDER = randomUUID()
const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0')

/** Something that arrives: a version of a span, or a deletion of its trace. */
interface Arrival {
  project_id: string
  accepted_at: number
  trace: number
  /** Undefined: a deletion. */
  span?: number
  start?: number
}

const spanOf = ({ project_id, accepted_at, trace, span = 0, start = 0 }: Arrival): IncomingSpan => ({
  project_id,
  user_id: SENDER,
  accepted_at,
  span: makeSpan({
    trace_id: hex(trace, 32),
    span_id: hex(span, 16),
    span_name: `v${accepted_at}`,
    ...(span > 1 ? { parent_id: hex(1, 16) } : {}),
    start_time: 1_770_000_000_000_000 + start,
  }),
})

const deletionOf = ({ project_id, accepted_at, trace }: Arrival): TraceDeletion => ({
  id: randomUUID(),
  project_id,
  trace_id: hex(trace, 32),
  deleted_at: accepted_at,
})

function batchOf(arrivals: readonly Arrival[]): SpanBatch {
  const batch = SpanBatch.of(arrivals.filter(one => one.span !== undefined).map(spanOf))
  batch.deletions.push(...arrivals.filter(one => one.span === undefined).map(deletionOf))
  return batch
}

/** Trace, span and version of all that is stored. */
async function stored(project_id: string): Promise<string[]> {
  const trace_ids = [1, 2, 3].map(trace => hex(trace, 32))
  const spans = await readSpans(engine, compileSpansByIds({ project_id, columns: SPAN_COLUMNS, trace_ids }))
  return spans.map(span => [Number(span.trace_id), Number(span.span_id), span.span_name].join()).toSorted()
}

/** Of the versions accepted after the last deletion of their trace, the last of each span. */
function expected(arrivals: readonly Arrival[]): string[] {
  const left = new Map<string, Arrival>()
  for (const one of arrivals.toSorted((a, b) => a.accepted_at - b.accepted_at)) {
    if (one.span === undefined) for (const key of left.keys()) if (key.startsWith(`${one.trace},`)) left.delete(key)
    if (one.span !== undefined) left.set(`${one.trace},${one.span}`, one)
  }
  return Array.from(left, ([key, { accepted_at }]) => `${key},v${accepted_at}`).toSorted()
}

const arrival = fc.record({
  trace: fc.integer({ min: 1, max: 2 }),
  span: fc.option(fc.integer({ min: 1, max: 3 }), { freq: 3, nil: undefined }),
  start: fc.integer({ min: 0, max: 1 }),
})

test('whatever way spans and deletions come, what is left is what was accepted after the last deletion', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(arrival, { minLength: 1, maxLength: 10 }),
      fc.array(fc.nat(), { minLength: 14, maxLength: 14 }),
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 3 }),
      async (drawn, shuffle, size, restartEvery) => {
        const project_id = newProject()
        const sent = drawn.map((one, at): Arrival => ({ ...one, project_id, accepted_at: at + 1 }))
        const travelling = [...sent, ...sent.slice(0, 4)]
          .map((one, at) => ({ one, rank: shuffle[at] as number }))
          .sort((a, b) => a.rank - b.rank)
          .map(({ one }) => one)
        let writer = new SpanWriter(engine, { memorySpansMax: 4 })
        for (let at = 0, turn = 1; at < travelling.length; at += size, turn++) {
          await writer.write(batchOf(travelling.slice(at, at + size)))
          if (turn % restartEvery !== 0) continue
          writer = new SpanWriter(engine)
          await writer.recover()
        }
        expect(await stored(project_id)).toEqual(expected(sent))
      },
    ),
    { numRuns: sampledRuns(40) },
  )
})

test('a deletion tells which spans it took, those of its own batch included; other projects keep theirs', async () => {
  const [project_id, other] = [newProject(), newProject()]
  const writer = new SpanWriter(engine)
  const at = (accepted_at: number, span: number, of = project_id): Arrival => ({
    project_id: of,
    accepted_at,
    trace: 1,
    span,
  })
  await writer.write(batchOf([at(1, 1), at(2, 2), at(1, 1, other)]))
  const batch = batchOf([at(3, 3), at(5, 2)])
  const deletion = deletionOf({ project_id, accepted_at: 4, trace: 1 })
  const again = deletionOf({ project_id, accepted_at: 6, trace: 2 })
  batch.deletions.push(deletion, again)
  expect(await deletedSpans(engine, deletion)).toBe(null)
  expect(await writer.write(batch)).toMatchObject({ inserted: 1, deleted: 1 })
  expect((await deletedSpans(engine, deletion))?.toSorted()).toEqual([1, 2, 3].map(id => hex(id, 16)))
  expect(await deletedSpans(engine, again)).toEqual([])
  expect(await stored(project_id)).toEqual(['1,2,v5'])
  expect(await stored(other)).toEqual(['1,1,v1'])
})

test.each([1, 2, 3])('a deletion that failed at statement %i is finished by the next attempt', async failAt => {
  const project_id = newProject()
  await new SpanWriter(engine).write(batchOf([1, 2].map(span => ({ project_id, accepted_at: span, trace: 1, span }))))
  let commands = 0
  const flaky = Object.assign(Object.create(engine) as Engine, {
    rows: (statement: never) => engine.rows(statement),
    binaryRows: (...asked: Parameters<Engine['binaryRows']>) => engine.binaryRows(...asked),
    insert: (...row: Parameters<Engine['insert']>) => engine.insert(...row),
    endWrites: () => engine.endWrites(),
    command: (statement: never) =>
      ++commands === failAt ? Promise.reject(new Error('cut off')) : engine.command(statement),
  })
  const writer = new SpanWriter(flaky)
  const batch = batchOf([{ project_id, accepted_at: 9, trace: 1, span: 3 }])
  const deletion = deletionOf({ project_id, accepted_at: 5, trace: 1 })
  batch.deletions.push(deletion)
  await writer.write(batch).catch(error => expect(error.message).toBe('cut off'))
  await writer.write(batch)
  expect((await deletedSpans(engine, deletion))?.toSorted()).toEqual([1, 2].map((id): SpanId => hex(id, 16)))
  expect(await stored(project_id)).toEqual(['1,3,v9'])
})
