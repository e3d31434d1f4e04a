import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { Span } from '@spanhouse/model'
import {
  compileSizeByIds,
  compileSpanQuery,
  compileSpansByIds,
  parseSpanQuery,
  printSql,
  SHORT_DATA_MAX,
} from '@spanhouse/query'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SpanBatch } from './bytes/span-batch.ts'
import type { Engine } from './engine/engine.ts'
import { migrateSpans } from './migrate.ts'
import { SPAN_COLUMNS } from './read/row.ts'
import { readPreviews } from './read/rows.ts'
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
const rowsOf = <T extends object>(text: string): Promise<T[]> => engine.rows<T>({ text, params: {} })

/** Words that differ from each other, with a letter that is two bytes and a quote. */
const longText = (word: string, characters = SHORT_DATA_MAX): string =>
  `${word} "é" ${Array.from({ length: characters / 8 }, (_, at) => `w${at.toString(36)}`.padEnd(7, 'x')).join(' ')}`

/** A span whose attributes repeat its input. */
function spanOf(number: number, input: string): Span {
  const attributes = { 'input.value': input, ag: { type: {}, data: { inputs: { input } }, metrics: {} } }
  return makeSpan({ trace_id, span_id: number.toString(16).padStart(16, '0'), attributes } as never)
}

let accepted_at = 0
const write = (...spans: Span[]) =>
  new SpanWriter(engine).write(
    SpanBatch.of(spans.map(span => ({ project_id, user_id: project_id, accepted_at: ++accepted_at, span }))),
  )

interface SentAttributes {
  'input.value': string
  ag: { data: { inputs: { input: string } } }
}

/** The inputs of the stored spans, which are the same in the data and as the client sent them. */
async function stored(): Promise<string[]> {
  const ids = { trace_ids: [trace_id], span_ids: undefined }
  const spans = await readSpans(engine, compileSpansByIds({ project_id, columns: SPAN_COLUMNS, ...ids }))
  return spans.map(span => {
    const { ag, 'input.value': sent } = span.toJSON().attributes as unknown as SentAttributes
    expect(sent).toBe(ag.data.inputs.input)
    return sent
  })
}

/** The ids of the spans whose input contains a text, by the statement of a list. */
async function found(value: string): Promise<string[]> {
  const condition = { field: 'attributes', key: 'ag.data.inputs.input', operator: 'contains', value }
  const query = parseSpanQuery({ filtering: { conditions: [condition] } }, 'span')
  const spans = await readSpans(engine, compileSpanQuery({ project_id, columns: SPAN_COLUMNS, query }))
  return spans.map(({ span_id }) => span_id.replace(/^0+/, '')).sort()
}

const columns = () =>
  rowsOf<{ short: number; long: number }>(
    'SELECT notEmpty(data) AS short, notEmpty(long_data) AS long FROM spans ORDER BY span_id',
  )
const SHORT = { short: 1, long: 0 }
const LONG = { short: 0, long: 1 }

const OLDER = [
  'DROP INDEX by_words',
  "ADD INDEX by_text lowerUTF8(data) TYPE text(tokenizer = splitByNonAlpha, posting_list_codec = 'bitpacking')",
  'DROP COLUMN sent_attributes',
  'DROP COLUMN span_data',
  'DROP COLUMN long_data',
]

test('spans of a store without the column are read, found, known and updated; new long ones are apart', async () => {
  const [first, second] = [longText('periastron'), longText('perihelion')]
  // As the version before wrote them.
  await write(spanOf(1, first), spanOf(2, second), spanOf(3, 'a short one'))
  await command("ALTER TABLE spans UPDATE data = span_data, long_data = '' WHERE 1 SETTINGS mutations_sync = 1")
  for (const change of OLDER) await command(`ALTER TABLE spans ${change} SETTINGS mutations_sync = 1`)
  await command(
    'ALTER TABLE spans ADD COLUMN sent_attributes String ALIAS attributes AFTER copies SETTINGS mutations_sync = 1',
  )
  await command('ALTER TABLE schema_migrations DELETE WHERE version >= 7 SETTINGS mutations_sync = 1')
  expect(await migrateSpans(engine, fileURLToPath(new URL('../../clickhouse', import.meta.url)))).toContain(
    '007_long_data',
  )

  expect(await columns()).toEqual([SHORT, SHORT, SHORT])
  expect(await stored()).toEqual([first, second, 'a short one'])
  expect((await write(spanOf(1, first))).known).toBe(1)
  await write(spanOf(4, longText('aphelion')))
  expect(await columns()).toEqual([SHORT, SHORT, SHORT, LONG])
  for (const _ of ['before', 'after']) {
    expect(await stored()).toEqual([first, second, 'a short one', longText('aphelion')])
    expect([await found('perihel'), await found('aphelion'), await found('short')]).toEqual([['2'], ['4'], ['3']])
    await command('OPTIMIZE TABLE spans FINAL')
  }
})

test('a version of a span moves its data, and no reader sees it without or with both', async () => {
  await write(spanOf(3, longText('third')), spanOf(4, 'now short'))
  const now = [longText('periastron'), longText('perihelion'), longText('third'), 'now short']
  for (const _ of ['before', 'after']) {
    expect(await stored()).toEqual(now)
    expect(await columns()).toEqual([SHORT, SHORT, LONG, SHORT])
    expect([await found('third'), await found('now short'), await found('aphelion')]).toEqual([['3'], ['4'], []])
    await command('OPTIMIZE TABLE spans FINAL')
  }
})

test('long data counts for the size of a result and is in the views', async () => {
  const ids = { project_id, trace_ids: [trace_id], span_ids: undefined }
  const [size] = await engine.rows<{ bytes: number }>(printSql(compileSizeByIds(ids)))
  expect(Number(size?.bytes)).toBeGreaterThan(3 * SHORT_DATA_MAX)
  const rows = await rowsOf<{ input: string; sent: string }>(
    `SELECT JSONExtractString(inputs, 'input') AS input, JSONExtractString(attributes, 'input.value') AS sent
     FROM v1_spans WHERE span_id = '0000000000000003'`,
  )
  expect(rows).toEqual([{ input: longText('third'), sent: longText('third') }])
})

test('what long spans repeat is stored once for several of them', async () => {
  await command('ALTER TABLE spans MODIFY SETTING min_bytes_for_wide_part = 0')
  // Half a megabyte of random characters, so no two of them are in one granule.
  const history = Array.from({ length: 20_000 }, () => randomUUID().slice(0, 23)).join(' ')
  await write(...Array.from({ length: 6 }, (_, at) => spanOf(10 + at, `${history} ${at}`)))
  await command('OPTIMIZE TABLE spans FINAL')
  const [size] = await rowsOf<{ bytes: number }>(
    `SELECT toUInt32(sum(column_data_compressed_bytes)) AS bytes FROM system.parts_columns
     WHERE database = currentDatabase() AND table = 'spans' AND active AND column = 'long_data'`,
  )
  expect(size?.bytes).toBeLessThan(2 * history.length)
})

test('what rows show of long values is all that is read of them', async () => {
  const [before] = await rowsOf<{ time: number }>('SELECT toUnixTimestamp64Micro(max(start_time)) AS time FROM spans')
  const rows = Array.from({ length: 6 }, (_, at) => ({
    trace_id,
    span_id: (10 + at).toString(16).padStart(16, '0'),
    time: before?.time ?? 0,
    parent_id: '',
  }))
  let bytes = 0
  const hold = (more: number): void => {
    bytes += more
  }
  const asked = { project_id, rows, attributes: ['ag.data.inputs.input', 'ag.data'] }
  const shown = await readPreviews(engine, asked, { hold, release: () => {} })
  expect(shown.map(({ own }) => own?.map(value => value.length))).toEqual(Array(6).fill([1000, 1000]))
  expect(bytes).toBeLessThan(150_000)
})
