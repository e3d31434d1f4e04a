import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SpanBatch } from '../bytes/span-batch.ts'
import type { Engine, Statement } from '../engine/engine.ts'
import { makeSpan, newProject, openTestEngine } from '../spans.testing.ts'
import { KnownTraces } from './known-traces.ts'
import { SpanWriter } from './write.ts'

let engine: Engine
let close: () => Promise<void>

beforeAll(async () => {
  ;({ engine, close } = await openTestEngine())
})
afterAll(() => close())

const ids = Array.from({ length: 2_000 }, () => randomBytes(16).toString('hex'))
const batchOf = (trace_ids: readonly string[], span_id: string): SpanBatch => {
  const [project_id, user_id] = [PROJECT, PROJECT]
  return SpanBatch.of(
    trace_ids.map(trace_id => ({ project_id, user_id, accepted_at: 1, span: makeSpan({ trace_id, span_id }) })),
  )
}
const PROJECT = newProject()

test('every stored trace is known after a start, and hardly any other', async () => {
  await new SpanWriter(engine).write(batchOf(ids, '1'.repeat(16)))
  const known = (await KnownTraces.load(engine)) as KnownTraces
  expect(ids.every(id => known.has(id))).toBe(true)
  const strangers = Array.from({ length: 2_000 }, () => randomBytes(16).toString('hex'))
  expect(strangers.filter(id => known.has(id)).length).toBeLessThan(5)
})

test('a writer that has recovered looks up what may be stored and nothing else', async () => {
  const lookedUp: string[][] = []
  const note = ({ params: { traces } }: Statement): void => {
    if (Array.isArray(traces)) lookedUp.push(traces)
  }
  const watched: Engine = {
    rows: <Row>(statement: Statement) => {
      note(statement)
      return engine.rows<Row>(statement)
    },
    binaryRows: (statement, read) => {
      note(statement)
      return engine.binaryRows(statement, read)
    },
    table: (...args) => engine.table(...args),
    command: statement => engine.command(statement),
    insert: (...args) => engine.insert(...args),
    endWrites: runs => engine.endWrites(runs),
    close: () => engine.close(),
  }
  const writer = new SpanWriter(watched)
  await writer.recover()
  const old = ids[0] as string
  const fresh = randomBytes(16).toString('hex')
  await writer.write(batchOf([old, fresh], '2'.repeat(16)))
  expect(new Set(lookedUp.flat())).toEqual(new Set([old]))
  const [{ count } = { count: 0 }] = await engine.rows<{ count: number }>({
    text: 'SELECT count() AS count FROM spans WHERE trace_id = toFixedString(unhex({old:String}), 16)',
    params: { old },
  })
  expect(count).toBe(2)
})
