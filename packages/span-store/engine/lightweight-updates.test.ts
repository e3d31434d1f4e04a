import { afterEach, beforeEach, expect, test } from 'vitest'
import { openTestEngine } from '../spans.testing.ts'
import type { Engine } from './engine.ts'

let engine: Engine
let close: () => Promise<void>
beforeEach(async () => {
  ;({ engine, close } = await openTestEngine())
})
afterEach(() => close())

const run = (text: string): Promise<void> => engine.command({ text, params: {} })

/** Inserts a part: `rows` spans whose start times follow those of the parts with smaller numbers. */
async function insertPart(number: number, rows: number, values: Record<string, string>): Promise<void> {
  const columns = ['project_id', 'start_time', 'trace_id', 'span_id', ...Object.keys(values)]
  const keys = [
    `fromUnixTimestamp64Micro(${number * 100_000} + number)`,
    "toFixedString('t', 16)",
    "toFixedString('s', 8)",
  ]
  const selected = ["toUUID('00000000-0000-0000-0000-000000000001')", ...keys, ...Object.values(values)]
  await run(`INSERT INTO spans (${columns.join(', ')}) SELECT ${selected.join(', ')} FROM numbers(${rows})`)
}

/** The active parts with spans, and which column is the smallest of each. */
const smallestColumns = (): Promise<{ rows: string; smallest: string }[]> =>
  engine.rows({
    text: `SELECT sum(rows) / count() AS rows, argMin(column, (column_data_compressed_bytes, column_position)) AS smallest
FROM system.parts_columns WHERE table = 'spans' AND active AND NOT startsWith(name, 'patch') GROUP BY name ORDER BY min(min_block_number)`,
    params: {},
  })

test('a read succeeds while updates and deletions of parts with different contents wait for a merge', async () => {
  // Merges leave updates alone here, and take only parts and patches of less than a megabyte.
  await run(`ALTER TABLE spans MODIFY SETTING min_bytes_for_wide_part = 0, apply_patches_on_merge = 0,
    max_bytes_to_merge_at_max_space_in_pool = 1000000`)
  await run('SYSTEM STOP MERGES spans')
  const mixed = { trace_type: 'rand(1) % 2', is_trace_head: 'rand(2) % 2', declared_trace_type: 'rand(3) % 2' }
  for (const part of [0, 1]) await insertPart(part, 500, { is_root: 'rand() % 2' })
  await insertPart(2, 500, { is_root: 'rand() % 2', data: 'randomPrintableASCII(4000)' })
  for (const part of [3, 4]) await insertPart(part, 500, { is_root: 'rand() % 2', ...mixed })
  const update = (values: string, condition: string): Promise<void> =>
    run(`UPDATE spans SET trace_type = 1, is_trace_head = true, is_trace_type_explicit = true, attributes = ${values}
         WHERE ${condition}`)
  await update("'some'", "start_time >= '1970-01-01 00:00:00.3' AND toUnixTimestamp64Micro(start_time) % 3 = 0")
  await update('randomPrintableASCII(3000)', 'toUnixTimestamp64Micro(start_time) % 3 != 0')
  await run('DELETE FROM spans WHERE toUnixTimestamp64Micro(start_time) % 100 = 99')
  await run('SYSTEM START MERGES spans')
  await run('OPTIMIZE TABLE spans')
  await run('OPTIMIZE TABLE spans')
  await expect.poll(smallestColumns).toMatchObject([{ rows: 1000 }, { rows: 500 }, { rows: 1000 }])

  const text =
    'SELECT countIf(attributes = {some:String}) AS short, countIf(attributes > {none:String}) AS updated FROM spans'
  expect(await engine.rows({ text, params: { some: 'some', none: '' } })).toEqual([{ short: 330, updated: 1980 }])
  for (const { smallest } of await smallestColumns()) expect(smallest).toMatch(/^smallest_of_/)
})

test('the first span of a part is read as it was updated, among many updated spans of other parts', async () => {
  await run('ALTER TABLE spans MODIFY SETTING min_bytes_for_wide_part = 0')
  await run('SYSTEM STOP MERGES spans')
  await insertPart(0, 8 * 1024, {})
  await insertPart(1, 3, { data: "repeat('long', 500000)" })
  await run('UPDATE spans SET tokens_cumulative_total = 1 WHERE true')
  // The first of the long spans stands in a granule of its own, and is the only one of its part that is read.
  const text =
    'SELECT count() AS spans, toUInt32(sum(tokens_cumulative_total)) AS tokens FROM spans WHERE start_time <= {end:String}'
  expect(await engine.rows({ text, params: { end: '1970-01-01 00:00:00.100000' } })).toEqual([
    { spans: 8193, tokens: 8193 },
  ])
})
