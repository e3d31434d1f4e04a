import { type ClickHouseClient, ClickHouseLogLevel, createClient } from '@clickhouse/client'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ClickHouseProcess, startClickHouse } from './start.testing.ts'

const rowsPerInsert = 2_000

let server: ClickHouseProcess
let client: ClickHouseClient

beforeEach(async () => {
  server = await startClickHouse()
  client = createClient({ url: server.url, log: { level: ClickHouseLogLevel.OFF } })
  await client.command({ query: 'CREATE TABLE t (batch UInt32, n UInt32) ENGINE = MergeTree ORDER BY (batch, n)' })
})

afterEach(async () => {
  await client.close()
  await server.stop()
})

async function insertBatch(batch: number): Promise<void> {
  const values = Array.from({ length: rowsPerInsert }, (_, n) => ({ batch, n }))
  await client.insert({ table: 't', values, format: 'JSONEachRow' })
}

/** Inserts until the server is gone and returns the batches that were answered. */
async function insertUntilKilled(writer: number): Promise<number[]> {
  const answered: number[] = []
  for (let batch = writer; ; batch += 4) {
    try {
      await insertBatch(batch)
    } catch {
      return answered
    }
    answered.push(batch)
    if (answered.length === 5 && writer === 0) void server.kill()
  }
}

async function countByBatch(): Promise<Map<number, number>> {
  const query = 'SELECT batch, toUInt32(count()) AS count FROM t GROUP BY batch'
  const result = await client.query({ query, format: 'JSONEachRow' })
  const counts = await result.json<{ batch: number; count: number }>()
  return new Map(counts.map(({ batch, count }) => [batch, count]))
}

test('killed in the middle of inserts: what was answered is there, and every insert is whole or absent', async () => {
  const answered = (await Promise.all([0, 1, 2, 3].map(insertUntilKilled))).flat()
  await server.restart()
  const counts = await countByBatch()
  for (const batch of answered) expect(counts.get(batch)).toBe(rowsPerInsert)
  expect(new Set(counts.values())).toEqual(new Set([rowsPerInsert]))
  await insertBatch(1_000_000)
  expect((await countByBatch()).get(1_000_000)).toBe(rowsPerInsert)
})

test('an ordered end waits for the statement that runs', async () => {
  const running = client.command({ query: 'INSERT INTO t SELECT 7, number + sleepEachRow(0.02) FROM numbers(20)' })
  const query = "SELECT 1 FROM system.processes WHERE query LIKE 'INSERT INTO t SELECT%'"
  await expect.poll(async () => (await client.query({ query })).text()).not.toBe('')
  await server.restart()
  await running
  expect(await countByBatch()).toEqual(new Map([[7, 20]]))
})
