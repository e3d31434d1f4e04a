import { randomUUID } from 'node:crypto'
import { cp, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { startTestServer } from '@spanhouse/clickhouse-server/test-server.testing.ts'
import { compileSpansByIds } from '@spanhouse/query'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { INSERT_COLUMNS } from './bytes/row-columns.ts'
import { SpanBatch } from './bytes/span-batch.ts'
import { type Engine, openEngine } from './engine/engine.ts'
import { requireStoreMatches, StoreMismatch } from './engine/failures.ts'
import { migrateSpans } from './migrate.ts'
import { SPAN_COLUMNS } from './read/row.ts'
import { readSpans } from './read/stored-span.ts'
import { makeSpan, openTestEngine } from './spans.testing.ts'
import { keepFor, setRetention } from './write/retention.ts'
import { SpanWriter } from './write/write.ts'

const RELEASED = fileURLToPath(new URL('../../clickhouse', import.meta.url))

let engine: Engine
let close: () => Promise<void>
let folder: string

beforeAll(async () => {
  ;({ engine, close } = await openTestEngine())
})
afterAll(() => close())
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'spanhouse-migrations-'))
  await cp(RELEASED, folder, { recursive: true })
})
afterEach(() => rm(folder, { recursive: true }))

const command = (text: string): Promise<void> => engine.command({ text, params: {} })
const ledger = (): Promise<{ version: number; name: string }[]> =>
  engine.rows({ text: 'SELECT DISTINCT version, name FROM schema_migrations ORDER BY version', params: {} })
const released = async (): Promise<number> => (await ledger()).length

test('what has run is not run again', async () => {
  expect((await ledger())[0]).toEqual({ version: 1, name: '001_initial' })
  expect(await migrateSpans(engine, RELEASED)).toEqual([])
})

test('a migration changes tables that have spans, once, and every span can be read afterwards', async () => {
  const project_id = randomUUID()
  const span = makeSpan({ trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16) })
  const batch = new SpanBatch()
  batch.add({ project_id, user_id: project_id, accepted_at: 1_770_000_000_000_000 }, span)
  await new SpanWriter(engine).write(batch)
  const read = async (): Promise<unknown[]> => {
    const ids = { trace_ids: [span.trace_id], span_ids: undefined }
    const spans = await readSpans(engine, compileSpansByIds({ project_id, columns: SPAN_COLUMNS, ...ids }))
    return spans.map(span => span.toJSON())
  }
  const before = await read()
  expect(before).toHaveLength(1)

  const version = (await released()) + 1
  const name = `${String(version).padStart(3, '0')}_region`
  await writeFile(
    join(folder, `${name}.sql`),
    "-- Where a span was made; empty: unknown.\nALTER TABLE spans ADD COLUMN IF NOT EXISTS region String DEFAULT 'eu';\n",
  )
  expect(await migrateSpans(engine, folder)).toEqual([name])
  expect(await migrateSpans(engine, folder)).toEqual([])
  expect(await read()).toEqual(before)
  expect(await engine.rows({ text: 'SELECT DISTINCT region FROM spans', params: {} })).toEqual([{ region: 'eu' }])

  await expect(migrateSpans(engine, RELEASED)).rejects.toThrow(
    `The ClickHouse store has schema version ${version}, but this version of Spanhouse supports at most ${version - 1}: start a newer version.`,
  )
  await command(`ALTER TABLE spans DROP COLUMN region`)
  await command(`ALTER TABLE schema_migrations DELETE WHERE version = ${version} SETTINGS mutations_sync = 1`)
})

test.each([false, true])(
  'what is kept for longer outlives the times that parts have noted (replicated: %s)',
  async isReplicated => {
    const server = await startTestServer()
    const engine = openEngine(server.url, { connections: 1 })
    const command = (text: string): Promise<void> => engine.command({ text, params: {} })
    for (const file of await readdir(folder)) if (file >= '011') await rm(join(folder, file))
    await migrateSpans(engine, folder)
    const project_id = randomUUID()
    await command('SYSTEM STOP MERGES spans')
    await keepFor(engine, project_id, 1)
    await engine.command({
      text: `INSERT INTO spans (project_id, start_time, trace_id, span_id, created_at)
      SELECT {project_id:UUID}, 0, toFixedString('t', 16), toFixedString(hex(number), 8), now() - 86399 FROM numbers(9)`,
      params: { project_id },
    })
    await setRetention(engine, project_id, 30)
    await cp(RELEASED, folder, { recursive: true })
    await migrateSpans(engine, folder, { isReplicated })
    const mutations = await engine.rows({
      text: `SELECT 1 FROM system.mutations WHERE database = currentDatabase() AND table = 'spans' AND command LIKE '%TTL%'`,
      params: {},
    })
    expect(mutations).toHaveLength(isReplicated ? 0 : 1)
    await command('SYSTEM START MERGES spans')
    await delay(2_000)
    await command('OPTIMIZE TABLE spans FINAL')
    expect(await engine.rows({ text: 'SELECT toUInt8(count()) AS count FROM spans', params: {} })).toEqual([
      { count: 9 },
    ])
    await engine.close()
    await server.stop()
  },
)

test('a run that was cut short between two statements is repeated', async () => {
  const version = (await released()) + 1
  const file = join(folder, `${String(version).padStart(3, '0')}_two_steps.sql`)
  const first = 'CREATE TABLE IF NOT EXISTS first_step (n UInt8) ENGINE = MergeTree ORDER BY n'
  await writeFile(file, `${first};\nALTER TABLE no_such_table ADD COLUMN IF NOT EXISTS n UInt8;\n`)
  await expect(migrateSpans(engine, folder)).rejects.toThrow('no_such_table')
  await writeFile(file, `${first};\nALTER TABLE first_step ADD COLUMN IF NOT EXISTS m UInt8;\n`)
  expect(await migrateSpans(engine, folder)).toHaveLength(1)
  await command('DROP TABLE first_step')
  await command(`ALTER TABLE schema_migrations DELETE WHERE version = ${version} SETTINGS mutations_sync = 1`)
})

const storedColumns = async (): Promise<string[]> => {
  const [made] = await engine.rows<{ statement: string }>({ text: 'SHOW CREATE TABLE spans', params: {} })
  return (made?.statement ?? '').split('\n').filter(line => /^ +`/.test(line) && !line.includes(' ALIAS '))
}
const nameOf = (line: string): string | undefined => line.split('`')[1]

test('every column of a few bytes has small compressed blocks, except the two that must be the smallest', async () => {
  const others = (await storedColumns()).filter(line => !line.includes('min_compress_block_size = 8192'))
  const long = ['attributes', 'data', 'long_data', 'events', 'links', 'references', 'hashes']
  expect(others.map(nameOf)).toEqual(['smallest_of_few', 'smallest_of_many', ...long])
})

test('columns of long texts have large blocks, whatever a server has for all columns', async () => {
  const large = (await storedColumns()).filter(line => /max_compress_block_size = (1048576|4194304)/.test(line))
  expect(large.map(nameOf)).toEqual(['attributes', 'data', 'long_data', 'events'])
})

test.each(['02_short.sql', '099_gap.sql', 'notes.txt'])('a folder with %s is refused', async name => {
  await writeFile(join(folder, name), 'SELECT 1')
  await expect(migrateSpans(engine, folder)).rejects.toThrow('should be named')
})

test('a column that is missing is found at the start, and ends whoever writes', async () => {
  await command('ALTER TABLE spans RENAME COLUMN agent_id TO agent')
  await expect(migrateSpans(engine, RELEASED)).rejects.toThrow('The table spans of the ClickHouse store lacks agent_id')
  const error = await engine.insert('spans', INSERT_COLUMNS, Buffer.alloc(0)).catch(error => error)
  expect(() => requireStoreMatches(error)).toThrow(StoreMismatch)
  await command('ALTER TABLE spans RENAME COLUMN agent TO agent_id')
  expect(await migrateSpans(engine, RELEASED)).toEqual([])
})

test('a store that lacks a column is refused before a migration changes it, or fails on that column', async () => {
  const missing = (await ledger()).slice(7).map(({ name }) => name)
  await command('ALTER TABLE spans RENAME COLUMN agent_id TO agent')
  await command('ALTER TABLE schema_migrations DELETE WHERE version > 7 SETTINGS mutations_sync = 1')
  await expect(migrateSpans(engine, RELEASED)).rejects.toThrow('The table spans of the ClickHouse store lacks agent_id')
  expect(await released()).toBe(7)
  await command('ALTER TABLE spans RENAME COLUMN agent TO agent_id')
  expect(await migrateSpans(engine, RELEASED)).toEqual(missing)
})

test('a store whose table is gone is refused', async () => {
  await command('RENAME TABLE spans TO kept')
  await expect(migrateSpans(engine, RELEASED)).rejects.toThrow('The table spans of the ClickHouse store lacks ')
  await command('RENAME TABLE kept TO spans')
  expect(await migrateSpans(engine, RELEASED)).toEqual([])
})
