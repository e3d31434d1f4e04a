import { fileURLToPath } from 'node:url'
import { startTestServer, type TestServer } from '@spanhouse/clickhouse-server/test-server.testing.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SpanBatch } from '../bytes/span-batch.ts'
import { type Engine, openEngine } from '../engine/engine.ts'
import { migrateSpans } from '../migrate.ts'
import { makeSpan, newProject } from '../spans.testing.ts'
import { beginRun, isFenced, renewRun } from './fence.ts'
import { SpanWriter } from './write.ts'

let server: TestServer
const engines: Engine[] = []

beforeAll(async () => {
  server = await startTestServer()
  await migrateSpans(engineOf(), fileURLToPath(new URL('../../../clickhouse', import.meta.url)))
})
afterAll(async () => {
  for (const engine of engines) await engine.close()
  await server.stop()
})

function engineOf(run?: number): Engine {
  const engine = openEngine(server.url, { connections: 1, ...(run ? { run } : {}) })
  engines.push(engine)
  return engine
}

const hex = (value: number, digits: number): string => value.toString(16).padStart(digits, '0')

const batchOf = (project_id: string, id: number, parent?: number): SpanBatch => {
  const span = makeSpan({
    trace_id: hex(1, 32),
    span_id: hex(id, 16),
    ...(parent ? { parent_id: hex(parent, 16) } : {}),
    attributes: { ag: { metrics: { tokens: { incremental: { total: id } } } } },
  })
  return SpanBatch.of([{ project_id, user_id: project_id, accepted_at: 1, span }])
}

test('a run that another one has fenced can neither insert nor update, and says why; others go on', async () => {
  const project_id = newProject()
  const [old, other, next] = [engineOf(101), engineOf(102), engineOf(103)]
  await beginRun(old, [0, 1])
  await beginRun(other, [2])
  const writer = new SpanWriter(old)
  await writer.write(batchOf(project_id, 1))
  await beginRun(next, [1])
  const refused = async (work: Promise<unknown>): Promise<boolean> => isFenced(await work.catch(error => error))
  expect(await refused(writer.write(batchOf(project_id, 2, 1)))).toBe(true)
  const orphan = new SpanWriter(old, { rootWaitMs: 0 })
  await new SpanWriter(next).write(batchOf(project_id, 3, 1))
  await new SpanWriter(next).write(batchOf(newProject(), 5, 4))
  await orphan.recover()
  expect(await refused(orphan.settleRootless())).toBe(true)
  await new SpanWriter(other).write(batchOf(newProject(), 4))
  const [{ count } = { count: 0 }] = await next.rows<{ count: number }>({
    text: 'SELECT count() AS count FROM spans WHERE project_id = {project_id:UUID}',
    params: { project_id },
  })
  expect(count).toBe(2)
})

test('a writer ends when the server comes back without what the writer has left there', async () => {
  const engine = engineOf(301)
  await beginRun(engine, [9])
  let isDown = false
  const writer = new SpanWriter({
    run: 301,
    rows: statement => engine.rows(statement),
    binaryRows: (statement, read) => engine.binaryRows(statement, read),
    table: (...args) => engine.table(...args),
    command: statement => engine.command(statement),
    insert: (...given) => (isDown ? Promise.reject(new Error('down')) : engine.insert(...given)),
    endWrites: () => engine.endWrites(),
    close: () => engine.close(),
  })
  await writer.write(batchOf(newProject(), 1))
  isDown = true
  await expect(writer.write(batchOf(newProject(), 1))).rejects.toThrow('down')
  isDown = false
  await writer.write(batchOf(newProject(), 1))
  isDown = true
  await expect(writer.write(batchOf(newProject(), 1))).rejects.toThrow('down')
  isDown = false
  await engine.command({
    text: 'ALTER TABLE writer_runs DELETE WHERE run = 301 SETTINGS mutations_sync = 1',
    params: {},
  })
  expect(isFenced(await writer.write(batchOf(newProject(), 1)).catch(error => error))).toBe(true)
})

test('a run that has been renewed is fenced after a month, too, and goes on after a failure', async () => {
  const [old, next] = [engineOf(401), engineOf(402)]
  await beginRun(old, [11, 12])
  const change = (text: string): Promise<void> =>
    old.command({ text: `ALTER TABLE writer_runs ${text} SETTINGS mutations_sync = 1`, params: {} })
  await change('UPDATE began_at = now() - INTERVAL 20 DAY WHERE run = 401')
  await renewRun(old)
  // As the table does, later.
  await change('DELETE WHERE began_at < now() - INTERVAL 10 DAY')
  const writer = new SpanWriter(old)
  await writer.write(batchOf(newProject(), 1))
  await beginRun(next, [12])
  expect(isFenced(await writer.write(batchOf(newProject(), 2)).catch(error => error))).toBe(true)
})

test('a run of which the server has lost what it knew is not renewed', async () => {
  const engine = engineOf(403)
  await renewRun(engine)
  expect(isFenced(await new SpanWriter(engine).write(batchOf(newProject(), 1)).catch(error => error))).toBe(true)
})

test('two runs that begin at once never both write', async () => {
  const runs = [engineOf(201), engineOf(202)]
  // One may end the other while it begins; it does not write then.
  const begun = await Promise.allSettled(runs.map(engine => beginRun(engine, [7])))
  const written = await Promise.all(
    runs
      .filter((_, index) => begun[index]?.status === 'fulfilled')
      .map(engine =>
        new SpanWriter(engine).write(batchOf(newProject(), 1)).then(
          () => true,
          error => !isFenced(error),
        ),
      ),
  )
  expect(written.filter(Boolean).length).toBeLessThan(2)
})
