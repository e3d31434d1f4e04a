import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { Json, Span } from '@spanhouse/model'
import { compileSpansByIds } from '@spanhouse/query'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SpanBatch } from './bytes/span-batch.ts'
import type { Engine } from './engine/engine.ts'
import { migrateSpans } from './migrate.ts'
import { SPAN_COLUMNS } from './read/row.ts'
import { readSpans } from './read/stored-span.ts'
import { makeSpan, openTestEngine } from './spans.testing.ts'
import { SpanWriter } from './write/write.ts'

const project_id = randomUUID()
const trace_id = 'a'.repeat(32)

let engine: Engine
let close: () => Promise<void>
beforeAll(async () => {
  ;({ engine, close } = await openTestEngine())
})
afterAll(() => close())

const command = (text: string): Promise<void> => engine.command({ text, params: {} })

/** A span whose attributes repeat a text of the data. */
function spanOf(number: number, word: string): Span {
  const text = `A ${word} text that is long enough to be stored only once`
  const attributes = { 'input.value': text, ag: { type: {}, data: { inputs: { text } }, metrics: {} } }
  return makeSpan({ trace_id, span_id: number.toString(16).padStart(16, '0'), attributes } as never)
}

const write = (spans: readonly Span[], accepted_at: number) =>
  new SpanWriter(engine).write(
    SpanBatch.of(spans.map(span => ({ project_id, user_id: project_id, accepted_at, span }))),
  )

async function sent(): Promise<Json[]> {
  const ids = { trace_ids: [trace_id], span_ids: undefined }
  const spans = await readSpans(engine, compileSpansByIds({ project_id, columns: SPAN_COLUMNS, ...ids }))
  return spans.map(span => (span.toJSON().attributes as Record<string, Json>)['input.value'] as Json)
}

const textsOf = (...words: string[]): string[] =>
  words.map(word => `A ${word} text that is long enough to be stored only once`)

test('rows of a store without copies are read as they are, updated, and known when they come again', async () => {
  // As the version before wrote them.
  await write([spanOf(1, 'first'), spanOf(2, 'other')], 1)
  await command('ALTER TABLE spans UPDATE attributes = sent_attributes WHERE 1 SETTINGS mutations_sync = 1')
  await command('ALTER TABLE spans DROP COLUMN sent_attributes, DROP COLUMN copies SETTINGS mutations_sync = 1')
  await command('ALTER TABLE schema_migrations DELETE WHERE version >= 5 SETTINGS mutations_sync = 1')
  expect(await migrateSpans(engine, fileURLToPath(new URL('../../clickhouse', import.meta.url)))).not.toEqual([])

  expect(await sent()).toEqual(textsOf('first', 'other'))
  expect((await write([spanOf(1, 'first')], 2)).known).toBe(1)
  await write([spanOf(2, 'second'), spanOf(3, 'new')], 3)
  expect(await sent()).toEqual(textsOf('first', 'second', 'new'))
  await command('OPTIMIZE TABLE spans FINAL')
  expect(await sent()).toEqual(textsOf('first', 'second', 'new'))
  const kept = await engine.rows<{ length: number }>({
    text: `SELECT length(JSONExtractString(attributes, 'input.value')) AS length FROM spans ORDER BY span_id`,
    params: {},
  })
  expect(kept.map(({ length }) => Number(length) === 1)).toEqual([false, true, true])
})

test('long texts are read as they were sent, whatever repeats them, and known when they come again', async () => {
  const text = 'She said: "Füchse 😀", and C:\\new\\ is a folder.\n'.repeat(2_000)
  const sentAs: Record<string, Json>[] = [
    { 'input.value': text, short: 'A short text that the data has, too: first' },
    { 'input.value': JSON.stringify([{ content: text }]), list: [{ text }, 'x'] },
    { 'input.value': `${text}.`, other: 1 },
    { 'input.value': `${text}\x7f`, 'a\x7f': text },
  ]
  const data = { inputs: { text, short: 'A short text that the data has, too: first' }, outputs: `"${text}"` }
  const spans = sentAs.map((attributes, at) =>
    makeSpan({
      trace_id: 'b'.repeat(32),
      span_id: `000000000000000${at + 1}`,
      attributes: { ...attributes, ag: { type: {}, data, metrics: {} } },
    } as never),
  )
  await write(spans, 1)
  expect((await write(spans, 2)).known).toBe(spans.length)
  const ids = { trace_ids: ['b'.repeat(32)], span_ids: undefined }
  const read = await readSpans(engine, compileSpansByIds({ project_id, columns: SPAN_COLUMNS, ...ids }))
  const attributes = read.map(span => span.toJSON().attributes as Record<string, Json>)
  expect(attributes).toMatchObject(sentAs.map(one => ({ ...one, ag: { data } })))
  const stored = await engine.rows<{ bytes: number; copies: number }>({
    text: `SELECT length(attributes) AS bytes, length(copies) AS copies FROM spans
      WHERE trace_id = unhex({trace_id:String}) ORDER BY span_id`,
    params: { trace_id: 'b'.repeat(32) },
  })
  expect(stored.map(({ copies }) => Number(copies) > 0)).toEqual([true, true, true, false])
  // Quotes and what is between two of them stay.
  expect(Number(stored[0]?.bytes)).toBeLessThan(text.length / 2)
})
