import { openPostgres } from '@spanhouse/postgres'
import { postgresAvailable, startPostgres, TEMPLATE } from '@spanhouse/postgres/postgres-server.testing.ts'
import type { TestProject } from 'vitest/node'

/** One Postgres server for all files of a run. A test that stops or crashes a server starts its own. */
export default async function start(project: TestProject): Promise<(() => Promise<void>) | undefined> {
  if (!postgresAvailable) return undefined
  const server = await startPostgres()
  const template = await openPostgres({ url: await server.createDatabase(TEMPLATE) })
  await template.migrate()
  await template.close()
  project.provide('postgresUrl', server.url)
  return () => server.stop()
}
