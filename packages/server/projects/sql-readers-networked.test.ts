import { startTestServer, type TestServer } from '@spanhouse/clickhouse-server/test-server.testing.ts'
import { newId } from '@spanhouse/postgres'
import { openEngine, projectReader } from '@spanhouse/span-store'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { removeSqlReader, serverReaders } from './sql-readers.ts'

let server: TestServer
beforeAll(async () => {
  server = await startTestServer()
})
afterAll(() => server.stop())

/** The server of the tests takes its users from files alone, as one does whose user lacks access_management. */
test('a server on which our user may not create users is a 501 that says what is missing', async () => {
  const engine = openEngine(server.url, { connections: 1 })
  const readers = serverReaders(engine)
  const problem = { code: 'unsupported', status: 501, message: expect.stringContaining('access_management') }
  await expect(readers.set(projectReader(newId()), '0'.repeat(64))).rejects.toMatchObject(problem)
  await expect(removeSqlReader(readers, newId())).rejects.toMatchObject(problem)
  await engine.close()
})
