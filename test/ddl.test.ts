import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { startTestServer, type TestServer } from '@spanhouse/clickhouse-server/test-server.testing.ts'
import { COLUMNS, MADE_COLUMNS, VERSION_HASH_BYTES } from '@spanhouse/query'
import {
  createdBy,
  type Engine,
  type Migration,
  migrateSpans,
  openEngine,
  PLACEMENTS,
  readMigrations,
  replicated,
} from '@spanhouse/span-store'
import { afterAll, beforeAll, expect, test } from 'vitest'

const DDL = join(import.meta.dirname, '../clickhouse')

let server: TestServer
let engine: Engine
let migrations: Migration[]

beforeAll(async () => {
  server = await startTestServer()
  engine = openEngine(server.url, { connections: 1 })
  await migrateSpans(engine, DDL)
  migrations = await readMigrations(DDL)
})

afterAll(async () => {
  await engine.close()
  await server.stop()
})

const statements = (): string[] => migrations.flatMap(migration => migration.statements)

test('each column is stored as the table of columns says, enum numbers included', async () => {
  const stored = await engine.rows<{ name: string }>({
    text: `SELECT name, type, compression_codec AS codec FROM system.columns
           WHERE database = currentDatabase() AND table = 'spans' ORDER BY name`,
    params: {},
  })
  const described = [...COLUMNS, ...MADE_COLUMNS].map(({ name, type, codec }) => ({ name, type, codec }))
  expect(described.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual(stored)
})

test('every statement can be run again', async () => {
  for (const text of statements()) await engine.command({ text, params: {} })
})

test('every table and view has its place in a cluster', async () => {
  const tables = await engine.rows<{ name: string }>({
    text: "SELECT name FROM system.tables WHERE database = currentDatabase() AND name != 'schema_migrations'",
    params: {},
  })
  expect(Object.keys(PLACEMENTS).sort()).toEqual(tables.map(({ name }) => name).sort())
  expect([...new Set(statements().flatMap(text => createdBy(text) ?? []))].sort()).toEqual(
    tables.map(({ name }) => name).sort(),
  )
})

test('with replicas all tables on disk are replicated, and ClickHouse can parse the statements', async () => {
  const changed = statements().filter(text => replicated(text) !== text)
  const onDisk = statements().filter(text => createdBy(text) && /^ENGINE = /m.test(text))
  expect(changed.map(createdBy)).toEqual(onDisk.map(createdBy))
  for (const text of changed) {
    const [row] = await engine.rows<{ text: string }>({
      text: 'SELECT formatQuery({text:String}) AS text',
      params: { text: replicated(text) },
    })
    expect(row?.text).toMatch(/ENGINE = Replicated\w*MergeTree/)
    expect(row?.text).toMatch(/SETTINGS .*replicated_deduplication_window = 0/)
  }
})

test('the table takes lightweight UPDATE and DELETE', async () => {
  const run = (text: string): Promise<void> => engine.command({ text, params: {} })
  await run("INSERT INTO spans (trace_id, span_name) VALUES ('a', 'first'), ('b', 'other')")
  await run("UPDATE spans SET span_name = 'second' WHERE trace_id = 'a'")
  await run("DELETE FROM spans WHERE trace_id = 'b'")
  const rows = await engine.rows({ text: 'SELECT span_name FROM spans', params: {} })
  expect(rows).toEqual([{ span_name: 'second' }])
})

test('a row of an earlier version has the hash by which its span is recognised when it is sent again', async () => {
  const written = createHash('sha1').update('a span').digest('hex').slice(0, 12)
  await engine.command({
    text: `INSERT INTO spans (trace_id, content_hash) VALUES ('earlier', unhex('${written}'))`,
    params: {},
  })
  const [row] = await engine.rows({
    text: "SELECT lower(hex(version_hash)) AS hash FROM spans WHERE trace_id = toFixedString('earlier', 16)",
    params: {},
  })
  expect(row).toEqual({ hash: written.slice(0, 2 * VERSION_HASH_BYTES) })
})
