import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startTestServer, type TestServer } from '@spanhouse/clickhouse-server/test-server.testing.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../../test/harness.ts'
import { SpanBatch } from './bytes/span-batch.ts'
import { openReplica } from './cluster/replica.testing.ts'
import { closeShard, moveOldSpansOf, openShard } from './cluster/shard.ts'
import { moveOldSpans } from './cold-storage.ts'
import { type Engine, openEngine } from './engine/engine.ts'
import { migrateSpans } from './migrate.ts'
import { makeSpan, newProject } from './spans.testing.ts'
import { removeExpired } from './write/retention.ts'
import { SpanWriter } from './write/write.ts'

let path: string
let server: TestServer
let engine: Engine

/** Beside the main file of the configuration, where ClickHouse looks for additions. */
const additions = (): string => join(path, 'server/config.d')

const CONFIGURATION = (cold: string): string => `<clickhouse><storage_configuration>
  <disks><slow><path>${cold}/</path></slow></disks>
  <policies>
    <tiered><volumes><default><disk>default</disk></default><old><disk>slow</disk></old></volumes></tiered>
    <flat><volumes><only><disk>default</disk></only></volumes></flat>
  </policies>
</storage_configuration></clickhouse>`

beforeAll(async () => {
  path = await mkdtemp(join(tmpdir(), 'spanhouse-cold-'))
  await mkdir(join(path, 'cold'))
  await mkdir(additions(), { recursive: true })
  await writeFile(join(additions(), 'storage.xml'), CONFIGURATION(join(path, 'cold')))
  server = await startTestServer({ path })
  engine = openEngine(server.url, { connections: 2 })
  await migrateSpans(engine, fileURLToPath(new URL('../../clickhouse', import.meta.url)))
})

afterAll(async () => {
  await engine.close()
  await server.stop()
  await rm(path, { recursive: true })
})

const idsOf = (number: number): { trace_id: string; span_id: string } => ({
  trace_id: String(number).padStart(32, '0'),
  span_id: String(number).padStart(16, '0'),
})

const store = (project_id: string, number: number): Promise<unknown> => {
  const span = makeSpan(idsOf(number))
  return new SpanWriter(engine).write(SpanBatch.of([{ project_id, user_id: project_id, accepted_at: number, span }]))
}

const disks = async (): Promise<string[]> => {
  const rows = await engine.rows<{ disk_name: string }>({
    text: "SELECT DISTINCT disk_name FROM system.parts WHERE active AND table = 'spans' AND rows > 0 ORDER BY disk_name",
    params: {},
  })
  return rows.map(row => row.disk_name)
}

/** The numbers of the project's spans, with all their columns read. */
const read = async (project_id: string): Promise<number[]> => {
  const rows = await engine.rows<{ span_id: string; attributes: string }>({
    text: 'SELECT hex(span_id) AS span_id, attributes, data FROM spans WHERE project_id = {project_id:UUID} ORDER BY span_id',
    params: { project_id },
  })
  return rows.map(row => Number(row.span_id))
}

test('a policy that does not exist, or has one volume, is refused', async () => {
  await expect(moveOldSpans(engine, { policy: 'none', afterDays: 30 })).rejects.toThrow(/no storage policy/)
  await expect(moveOldSpans(engine, { policy: 'flat', afterDays: 30 })).rejects.toThrow(/one volume/)
})

test('spans move when they are old enough, and are read and deleted as before', async () => {
  const project = newProject()
  await store(project, 1)
  await moveOldSpans(engine, { policy: 'tiered', afterDays: 30 })
  await moveOldSpans(engine, { policy: 'tiered', afterDays: 30 })
  await store(project, 2)
  expect(await disks()).toEqual(['default'])

  await moveOldSpans(engine, { policy: 'tiered', afterDays: 0 })
  await eventually(async () => (await disks()).join() === 'slow')
  await store(project, 3)
  expect(await read(project)).toEqual([1, 2, 3])
  const [table] = await engine.rows<{ ddl: string }>({ text: DEFINED, params: {} })
  expect(table?.ddl).toMatch(/TTL expires_at WHERE expires_at < [^,]*, 'UTC'\), .*TO VOLUME 'old'/)

  await engine.command({ text: EXPIRE, params: { ids: ['0000000000000001'] } })
  await removeExpired(engine)
  expect(await read(project)).toEqual([2, 3])
})

const DEFINED = `SELECT create_table_query AS ddl FROM system.tables
WHERE database = currentDatabase() AND name = 'spans'`

const EXPIRE = 'UPDATE spans SET expires_at = now() - 1 WHERE hex(span_id) IN {ids:Array(String)}'

test('of a shard with replicas each that responds has the policy, before any of them moves spans', async () => {
  const replicas = await Promise.all([1, 2, 3].map(() => openReplica(server.url)))
  const urls = replicas.map(({ url }) => url)
  const shard = openShard(1, urls, { connections: 1 })
  await replicas[2]?.goAway()
  await moveOldSpansOf(shard, { policy: 'tiered', afterDays: 60 })
  const [first, second] = replicas.map(({ statements }) => statements)
  const asksPolicy = (statement: string): boolean => statement.startsWith('SELECT storage_policy')
  expect(second?.filter(asksPolicy)).toHaveLength(1)
  expect(first?.filter(asksPolicy)).toHaveLength(3)
  expect(first?.filter(statement => statement.includes('MODIFY TTL'))).toHaveLength(1)
  await expect(moveOldSpansOf(shard, { policy: 'flat', afterDays: 60 })).rejects.toThrow(/^shard 1 .*one volume/)
  await closeShard(shard)
  await Promise.all(replicas.map(replica => replica.goAway()))
})
