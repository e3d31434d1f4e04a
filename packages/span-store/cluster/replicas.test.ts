import { fileURLToPath } from 'node:url'
import { startTestServer, type TestServer } from '@spanhouse/clickhouse-server/test-server.testing.ts'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { SpanBatch } from '../bytes/span-batch.ts'
import { catchUp } from '../engine/catch-up.ts'
import { type Engine, openEngine } from '../engine/engine.ts'
import { migrateSpans } from '../migrate.ts'
import { makeSpan, newProject } from '../spans.testing.ts'
import { beginRun, isFenced } from '../write/fence.ts'
import { keepFor } from '../write/retention.ts'
import { SpanWriter } from '../write/write.ts'
import { copyTables } from './copy-tables.ts'
import { openReplica, type Replica } from './replica.testing.ts'
import { closeShard, firstResponding, openShard } from './shard.ts'

/*
 * Replicas as Spanhouse sees them: three addresses of one server, whose rows are therefore the same at once. Each can
 * go away, and answers by itself what only replicas can be asked. What ClickHouse does between real replicas is not
 * shown.
 */

const DDL = fileURLToPath(new URL('../../../clickhouse', import.meta.url))

let server: TestServer
let replicas: Replica[]
let engines: Engine[]

beforeAll(async () => {
  server = await startTestServer()
  const engine = openEngine(server.url, { connections: 1 })
  await migrateSpans(engine, DDL)
  await engine.close()
})
afterAll(() => server.stop())
beforeEach(async () => {
  engines = []
  replicas = await Promise.all([1, 2, 3].map(() => openReplica(server.url)))
})
afterEach(async () => {
  await Promise.all(engines.map(engine => engine.close()))
  await Promise.all(replicas.map(replica => replica.goAway()))
})

function engineOf(run: number, { server = 0, onAway = (): void => undefined } = {}): Engine {
  const urls = replicas.map(({ url }) => url)
  const engine = openEngine(urls, { connections: 1, run, only: { server, onAway } })
  engines.push(engine)
  return engine
}

const isSync = (statement: string): boolean => statement.startsWith('SYSTEM SYNC REPLICA spans ')
const syncs = (): number[] => replicas.map(({ statements }) => statements.filter(isSync).length)

function batchOf(project_id: string, id: number): SpanBatch {
  const span = makeSpan({ trace_id: id.toString(16).padStart(32, '0'), span_id: id.toString(16).padStart(16, '0') })
  return SpanBatch.of([{ project_id, user_id: project_id, accepted_at: 1, span }])
}

async function countOf(project_id: string): Promise<number> {
  const engine = openEngine(server.url, { connections: 1 })
  engines.push(engine)
  const text = 'SELECT count() AS count FROM spans WHERE project_id = {project_id:UUID}'
  return (await engine.rows<{ count: number }>({ text, params: { project_id } }))[0]?.count ?? 0
}

test('a write is complete when most replicas have it, of which one may be away', async () => {
  const project_id = newProject()
  const engine = engineOf(201)
  await beginRun(engine, [1])
  const writer = new SpanWriter(engine)
  await writer.write(batchOf(project_id, 1))
  expect(syncs().filter(count => count > 0).length).toBeGreaterThanOrEqual(2)
  await replicas[2]?.goAway()
  await writer.write(batchOf(project_id, 2))
  await replicas[1]?.goAway()
  await expect(writer.write(batchOf(project_id, 3))).rejects.toMatchObject({ code: 'overloaded' })
  // Its server has it, but it is not acknowledged: the batch is written again, until others have it, too.
  await expect(writer.write(batchOf(project_id, 3))).rejects.toMatchObject({ code: 'overloaded' })
  expect(await countOf(project_id)).toBe(3)
})

test('a run that loses its server ends; the next one begins on another and fences it there', async () => {
  const project_id = newProject()
  let isAway = false
  const old = engineOf(211, {
    onAway: () => {
      isAway = true
    },
  })
  await beginRun(old, [3])
  const writer = new SpanWriter(old)
  await writer.write(batchOf(project_id, 11))
  await replicas[0]?.goAway()
  await expect(writer.write(batchOf(project_id, 12))).rejects.toThrow()
  expect(isAway).toBe(true)

  const shard = openShard(
    1,
    replicas.map(({ url }) => url),
    { connections: 1 },
  )
  const server = await firstResponding(shard)
  await closeShard(shard)
  expect(server).toBe(1)
  const next = engineOf(212, { server })
  await beginRun(next, [3])
  expect(syncs()[1]).toBeGreaterThan(0)
  const goingOn = new SpanWriter(next)
  for (const id of [11, 12]) await goingOn.write(batchOf(project_id, id))
  expect(await countOf(project_id)).toBe(2)
  for (const { statements } of replicas.slice(1))
    expect(statements.some(statement => statement.startsWith('INSERT INTO fenced_runs'))).toBe(true)

  const late = new SpanWriter(engineOf(211, { server: 2 }))
  const refused = await late.write(batchOf(project_id, 13)).catch(error => error)
  expect(isFenced(refused)).toBe(true)
  expect(await countOf(project_id)).toBe(2)
})

test('what replicas do not tell each other is written on all of them, or fails', async () => {
  const engine = engineOf(221)
  await keepFor(engine, newProject(), 30)
  for (const { statements } of replicas)
    expect(statements.filter(one => one.startsWith('INSERT INTO project_retention')).length).toBe(1)
  await replicas[2]?.goAway()
  await expect(keepFor(engine, newProject(), 30)).rejects.toMatchObject({ code: 'overloaded' })
})

test('a shard without a server that responds says so', async () => {
  await Promise.all(replicas.map(replica => replica.goAway()))
  const urls = replicas.map(({ url }) => url)
  const shard = openShard(1, urls, { connections: 1 })
  await expect(firstResponding(shard)).rejects.toMatchObject({ code: 'overloaded' })
  await closeShard(shard)
})

test('a replica that joins gets the tables as another one has them now', async () => {
  const other = await startTestServer()
  const [from, to] = [server.url, other.url].map(url => openEngine(url, { connections: 1 })) as [Engine, Engine]
  engines.push(from, to)
  const project_id = newProject()
  const fill = (server: Engine): Promise<void> => keepFor(server, project_id, 12)
  for (let repeated = 0; repeated < 2; repeated++) await copyTables(from, to, fill)
  const days = `SELECT joinGet('project_retention', 'days', {project_id:UUID}) AS days`
  expect(await to.rows({ text: days, params: { project_id } })).toEqual([{ days: 12 }])
  const text = `SELECT name, replaceAll(create_table_query, toString(uuid), '') AS made FROM system.tables
    WHERE database = currentDatabase() ORDER BY name`
  const tables = await from.rows<{ name: string }>({ text, params: {} })
  expect(tables.map(({ name }) => name)).toEqual(expect.arrayContaining(['spans', 'project_retention', 'v1_traces']))
  expect(await to.rows({ text, params: {} })).toEqual(tables)
  expect(await migrateSpans(to, DDL)).toEqual([])
  await other.stop()
})

test('ClickHouse understands what replicas are asked', async () => {
  const engine = openEngine(server.url, { connections: 1 })
  engines.push(engine)
  const asReplica = { isReplicated: true, command: engine.command.bind(engine) } as unknown as Engine
  await expect(catchUp(asReplica, { tables: ['spans'] })).rejects.toThrow(/spans .*is not replicated/)
})
