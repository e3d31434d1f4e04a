import { fileURLToPath } from 'node:url'
import {
  startTestCluster,
  type TestCluster,
  type TestServer,
} from '@spanhouse/clickhouse-server/test-server.testing.ts'
import type { Uuid } from '@spanhouse/model'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { copyCells } from '../evaluation/cells.ts'
import { openClusterReader } from './cluster-engine.ts'
import { openReplica } from './replica.testing.ts'
import {
  closeShard,
  hasSpans,
  migrateShard,
  openShard,
  readMark,
  requireListed,
  type Shard,
  writeMark,
} from './shard.ts'

const DDL = fileURLToPath(new URL('../../../clickhouse', import.meta.url))

let cluster: TestCluster
let shards: Shard[]

beforeAll(async () => {
  cluster = await startTestCluster(2)
  shards = cluster.servers.map(({ url }, index) => openShard(index + 1, [url], { connections: 8 }))
})
afterAll(async () => {
  await Promise.all(shards.map(closeShard))
  await cluster.stop()
})

test('several processes may make the tables of a shard at once', async () => {
  for (const shard of shards) await Promise.all(Array.from({ length: 3 }, () => migrateShard(shard, DDL)))
  for (const { cluster } of shards) {
    const [row] = await cluster.rows<{ count: number }>({ text: 'SELECT count() AS count FROM spans', params: {} })
    expect(row?.count).toBe(0)
  }
})

test('a shard without a mark is new, and the greatest mark counts', async () => {
  const [shard] = shards as [Shard]
  expect(await readMark(shard)).toBe(undefined)
  const store_id = '0d9f8e7c-1111-4222-8333-944455556666'
  for (const mark of [3, 7, 5]) await writeMark(shard, { store_id, mark })
  expect(await readMark(shard)).toEqual({ store_id, mark: 7 })
  expect(await hasSpans(shard)).toBe(false)
})

test('a list in another order than remote_servers, or of another length, is refused', async () => {
  const [first, second] = shards as [Shard, Shard]
  await requireListed(first, { countMin: 2, listed: 2 })
  await requireListed(second, { countMin: 1, listed: 3 })
  const swapped = { ...first, number: 2 }
  await expect(requireListed(swapped, { countMin: 2, listed: 2 })).rejects.toThrow(
    /^shard 2 \(http:.*\) in CLICKHOUSE_URLS is shard 1 in its remote_servers/,
  )
  await expect(requireListed(first, { countMin: 3, listed: 3 })).rejects.toThrow('knows a cluster of 2 shards, not 3')
  await expect(requireListed(first, { countMin: 1, listed: 1 })).rejects.toThrow(
    'CLICKHOUSE_URLS lists 1 of the 2 shards',
  )
})

test('so is the list of a replica that is not the first', async () => {
  const older = await startTestCluster(1)
  const [first] = shards as [Shard]
  const [{ url }] = older.servers as [TestServer]
  const shard = openShard(1, [...first.urls, url], { connections: 1 })
  const listed = requireListed(shard, { countMin: 2, listed: 2 })
  await expect(listed.finally(() => closeShard(shard))).rejects.toThrow(
    `shard 1 (${new URL(url).origin}) knows a cluster of 1 shards, not 2`,
  )
  await older.stop()
})

test('of the versions of a result of an evaluation the newest counts, before they are merged', async () => {
  const [{ own, cluster }] = shards as [Shard]
  await own.command({ text: 'SYSTEM STOP MERGES evaluation_cells', params: {} })
  const [project_id, run_id, scenario_id, id] = ['1', '2', '3', '4'].map(digit => uuidOf(digit)) as [
    Uuid,
    Uuid,
    Uuid,
    Uuid,
  ]
  for (const [version, status] of ['pending', 'success'].entries()) {
    const cell = [project_id, run_id, scenario_id, id, 'e', 0, status, null, null, null, null, 1, version]
    await copyCells(own, JSON.stringify(cell))
  }
  const text = 'SELECT status FROM evaluation_cells FINAL WHERE run_id = {run_id:UUID}'
  expect(await own.rows({ text, params: { run_id } })).toEqual([{ status: 'success' }])
  expect(await cluster.rows({ text, params: { run_id } })).toEqual([{ status: 'success' }])
})

test('a shard that is listed but has no results of evaluations yet is not asked in place of another one', async () => {
  const [first, second] = shards as [Shard, Shard]
  const ids = ['5', '6', '7', '8'].map(uuidOf)
  await copyCells(first.own, JSON.stringify([...ids, 'e', 0, 'success', null, null, null, null, 1, 1]))
  const text = 'SELECT status FROM evaluation_cells WHERE run_id = {run_id:UUID}'
  const replica = await openReplica(first.urls[0] as string)
  const reader = openClusterReader([{ urls: [replica.url] }, second], { connections: 1 })
  const read = () => reader.rows({ text, params: { run_id: ids[1] } })
  expect(await read()).toEqual([{ status: 'success' }])
  await replica.goAway()
  for (let again = 0; again < 2; again++) await expect(read()).rejects.toMatchObject({ code: 'overloaded' })
  await reader.close()
})

const uuidOf = (digit: string): Uuid =>
  `${digit.repeat(8)}-${digit.repeat(4)}-4${digit.repeat(3)}-8${digit.repeat(3)}-${digit.repeat(12)}`

test('a shard whose server dies while it is read, or is away, cannot be reached', async () => {
  const [{ cluster: reader }, { own }] = shards as [Shard, Shard]
  const [, server] = cluster.servers as [TestServer, TestServer]
  const made =
    'SELECT generateUUIDv4(), unhex(leftPad(hex(number), 32)), unhex(leftPad(hex(number), 16)) FROM numbers(30)'
  await own.command({ text: `INSERT INTO spans (project_id, trace_id, span_id) ${made}`, params: {} })
  const slow = { text: 'SELECT sum(sleepEachRow(0.1)) AS slept FROM spans', params: {} }
  const running = {
    text: "SELECT 1 FROM system.processes WHERE query LIKE '%sleepEachRow%' AND NOT is_initial_query",
    params: {},
  }
  const unreachable = { code: 'overloaded', message: expect.stringContaining('cannot be reached') }
  const read = reader.rows(slow).catch(error => error)
  await expect.poll(() => own.rows(running)).toHaveLength(1)
  await server.kill()
  expect(await read).toMatchObject(unreachable)
  await expect(reader.rows(slow)).rejects.toMatchObject(unreachable)
  await server.restart()
})
