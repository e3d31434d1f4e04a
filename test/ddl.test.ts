import { join } from 'node:path'
import { type ClickHouseClient, createClient } from '@clickhouse/client'
import { startTestServer, type TestServer } from '@spanhouse/clickhouse-server/test-server.testing.ts'
import { COLUMNS, MADE_COLUMNS } from '@spanhouse/query'
import { readMigrations } from '@spanhouse/span-store'
import { afterAll, beforeAll, expect, test } from 'vitest'

type Variant = 'single' | 'cluster'
const variants: Variant[] = ['single', 'cluster']

let server: TestServer
const clients = {} as Record<Variant, ClickHouseClient>

beforeAll(async () => {
  server = await startTestServer()
  const maker = createClient({ url: server.url })
  for (const variant of variants) {
    clients[variant] = createClient({ url: server.url, database: variant })
    await maker.command({ query: `CREATE DATABASE ${variant}` })
    const statements = await statementsOf(variant)
    for (const query of statements.map(onOneServer)) await clients[variant].command({ query })
  }
  await maker.close()
})

afterAll(async () => {
  for (const client of Object.values(clients)) await client.close()
  await server.stop()
})

/** The statements of a folder as the migration would run them. */
async function statementsOf(variant: Variant): Promise<string[]> {
  const migrations = await readMigrations(join(import.meta.dirname, '..', 'clickhouse', variant))
  return migrations.flatMap(({ statements }) => statements)
}

/** Without what needs other servers: tables are not replicated, and spread over no other server than this. */
function onOneServer(statement: string): string {
  return statement
    .replaceAll(" ON CLUSTER '{cluster}'", '')
    .replaceAll(/Replicated(\w*MergeTree\()'[^']*', '[^']*'(?:, )?/g, '$1')
    .replaceAll(/Replicated(\w*MergeTree)/g, '$1')
    .replaceAll(/Distributed\('\{cluster\}', currentDatabase\(\), '(\w+)'.*\)/g, "Merge(currentDatabase(), '^$1$$')")
}

async function rows(variant: Variant, query: string, table: string): Promise<unknown[]> {
  const query_params = { table }
  const result = await clients[variant].query({ query, query_params, format: 'JSONEachRow' })
  return result.json()
}

const compared = {
  columns: `SELECT name, type, default_kind, default_expression, compression_codec, is_in_sorting_key
            FROM system.columns WHERE database = currentDatabase() AND table = {table:String} ORDER BY position`,
  indices: `SELECT name, expr, type_full, granularity
            FROM system.data_skipping_indices WHERE database = currentDatabase() AND table = {table:String} ORDER BY name`,
  keys: `SELECT sorting_key, primary_key, partition_key
         FROM system.tables WHERE database = currentDatabase() AND name = {table:String}`,
}

test.each(Object.entries(compared))('both variants have the same %s', async (_, query) => {
  const single = await rows('single', query, 'spans')
  expect(single).not.toEqual([])
  expect(await rows('cluster', query, 'spans_local')).toEqual(single)
  for (const table of ['evaluation_cells', 'evaluation_runs', 'v1_spans', 'v1_traces', 'v1_evaluation_results'])
    expect(await rows('cluster', query, table)).toEqual(await rows('single', query, table))
})

test('each column is stored as the table of columns says, enum numbers included', async () => {
  const stored = (await rows(
    'single',
    `SELECT name, type, compression_codec AS codec FROM system.columns
     WHERE database = currentDatabase() AND table = {table:String} ORDER BY name`,
    'spans',
  )) as { name: string }[]
  const described = [...COLUMNS, ...MADE_COLUMNS].map(({ name, type, codec }) => ({ name, type, codec }))
  expect(described.toSorted((a, b) => (a.name < b.name ? -1 : 1))).toEqual(stored)
})

test.each(variants)('every statement of %s can be parsed and run again', async variant => {
  for (const statement of await statementsOf(variant)) {
    const query = 'SELECT formatQuery({statement:String})'
    await clients[variant].command({ query, query_params: { statement } })
    await clients[variant].command({ query: onOneServer(statement) })
  }
})

test('on a cluster, `spans` spreads the replicated tables of all shards by trace', async () => {
  const statements = await statementsOf('cluster')
  const [local, distributed] = statements.slice(statements.findIndex(one => one.includes('spans_local ON CLUSTER')))
  expect(local).toMatch(/spans_local ON CLUSTER '\{cluster\}'\n.*ENGINE = ReplicatedMergeTree\n/s)
  expect(distributed).toMatch(/spans ON CLUSTER '\{cluster\}' AS spans_local\n/)
  expect(distributed).toContain("Distributed('{cluster}', currentDatabase(), 'spans_local', sipHash64(trace_id))")
})

test.each([
  ['single', 'spans'],
  ['cluster', 'spans_local'],
] as const)('the table of %s takes lightweight UPDATE and DELETE', async (variant, table) => {
  const client = clients[variant]
  await client.command({ query: `INSERT INTO ${table} (trace_id, span_name) VALUES ('a', 'first'), ('b', 'other')` })
  await client.command({ query: `UPDATE ${table} SET span_name = 'second' WHERE trace_id = 'a'` })
  await client.command({ query: `DELETE FROM ${table} WHERE trace_id = 'b'` })
  expect(await rows(variant, 'SELECT span_name FROM {table:Identifier}', table)).toEqual([{ span_name: 'second' }])
})
