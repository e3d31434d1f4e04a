import { randomBytes } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { startTestServer, type TestServer } from '@spanhouse/clickhouse-server/test-server.testing.ts'
import { type Engine, openEngine } from '@spanhouse/span-store'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newDataDir, type ServerProcess, startServerProcess } from '../server-process.testing.ts'

let dataDir: string
let clickhouse: TestServer
let server: ServerProcess
let engine: Engine
const start = (like?: ServerProcess): Promise<ServerProcess> =>
  startServerProcess({ dataDir, ...(like && { like }), env: { CLICKHOUSE_URL: clickhouse.url } })

beforeAll(async () => {
  dataDir = await newDataDir('deleted')
  clickhouse = await startTestServer()
  server = await start()
  engine = openEngine(clickhouse.url, { connections: 1 })
})
afterAll(async () => {
  await engine?.close()
  await server?.kill()
  await clickhouse?.stop()
  await rm(dataDir, { recursive: true, force: true })
})

async function ask(method: string, path: string, authorization: string, body?: object): Promise<any> {
  const headers = { authorization, 'content-type': 'application/json' }
  const answer = await fetch(`${server.url}/api${path}`, { method, headers, body: body && JSON.stringify(body) })
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return answer.status === 204 ? undefined : answer.json()
}
const administer = (method: string, path: string, body?: object): Promise<any> =>
  ask(method, `/admin${path}`, `Access ${server.adminKey}`, body)

interface Account {
  user: { id: string }
  organizations: { org: { id: string } }
  workspaces: { wrk: { id: string } }
  projects: { prj: { id: string } }
  key: string
}

async function newAccount(): Promise<Account> {
  const user = { email: `${randomBytes(8).toString('hex')}@corp.test` }
  const { accounts } = await administer('POST', '/simple/accounts/', { accounts: { one: { user } } })
  return { ...accounts.one, key: `ApiKey ${accounts.one.api_keys.key}` }
}

const send = (key: string): Promise<unknown> => {
  const [traceId, spanId] = [randomBytes(16).toString('hex'), randomBytes(8).toString('hex')]
  const times = { startTimeUnixNano: '1760000000000000000', endTimeUnixNano: '1760000001000000000' }
  return ask('POST', '/otlp/v1/traces', key, {
    resourceSpans: [{ scopeSpans: [{ spans: [{ traceId, spanId, name: 'one', ...times }] }] }],
  })
}

async function stored(...projects: string[]): Promise<number[]> {
  const rows = await engine.rows<{ project_id: string; rows: number }>({
    text: `SELECT project_id, count() AS rows FROM spans WHERE has({projects:Array(UUID)}, project_id) GROUP BY project_id`,
    params: { projects },
  })
  return projects.map(id => rows.find(({ project_id }) => project_id === id)?.rows ?? 0)
}
const PATIENCE = { timeout: 60_000, interval: 250 }

test('however a project is deleted, its spans are deleted, and no others', async () => {
  const accounts = await Promise.all(Array.from({ length: 8 }, () => newAccount()))
  const [a, b, c, d, e, f, g, kept] = accounts as [
    Account,
    Account,
    Account,
    Account,
    Account,
    Account,
    Account,
    Account,
  ]
  // A project beside the default one, and an organization beside the last one.
  const second = await ask('POST', '/projects', kept.key, { name: 'Second' })
  const other = await ask('POST', '/organizations', kept.key, { name: 'Other' })
  const { projects } = await administer('POST', '/simple/accounts/projects/', {
    project: { name: 'Third', organization_ref: { id: other.id }, workspace_ref: await workspaceOf(kept, other.id) },
  }).then(({ accounts: [made] }) => made)
  const third = (Object.values(projects)[0] as { id: string }).id
  const keyOf = async (project_id: string): Promise<string> => {
    const { api_keys } = await administer('POST', '/simple/accounts/api-keys/', {
      api_key: { project_ref: { id: project_id }, user_ref: { id: kept.user.id } },
      options: { return_api_keys: true },
    }).then(({ accounts: [made] }) => made)
    return `ApiKey ${api_keys.key.value}`
  }
  const gone = [...[a, b, c, d, e, f, g].map(({ projects }) => projects.prj.id), second.project_id, third]
  for (const { key } of accounts) await send(key)
  for (const id of [second.project_id, third]) await send(await keyOf(id))
  await expect.poll(() => stored(...gone, kept.projects.prj.id), PATIENCE).toEqual(Array(10).fill(1))

  await administer('DELETE', '/accounts/', { target: { project_ids: [a.projects.prj.id] }, dry_run: true })
  await administer('DELETE', '/simple/accounts/', { accounts: { x: { user: { id: a.user.id } } } })
  const target = { user_ids: [b.user.id], organization_ids: [c.organizations.org.id], project_ids: [d.projects.prj.id] }
  await administer('DELETE', '/accounts/', { target, dry_run: false })
  await administer('DELETE', `/simple/accounts/workspaces/${e.workspaces.wrk.id}/`)
  await administer('DELETE', `/simple/accounts/organizations/${f.organizations.org.id}/`)
  await administer('DELETE', `/simple/accounts/users/${g.user.id}/`)
  await ask('DELETE', `/projects/${second.project_id}`, kept.key)
  await ask('DELETE', `/organizations/${other.id}`, kept.key)
  await server.kill()
  server = await start(server)
  await expect.poll(() => stored(...gone), PATIENCE).toEqual(Array(9).fill(0))
  expect(await stored(kept.projects.prj.id)).toEqual([1])
})

async function workspaceOf({ key }: Account, organization_id: string): Promise<{ id: string }> {
  const { default_workspace } = await ask('GET', `/organizations/${organization_id}`, key)
  return { id: default_workspace.id }
}

test('spans that come out of the stream after the project is gone do not stay', async () => {
  const account = await newAccount()
  const project = account.projects.prj.id
  const before = await server.metric('spanhouse_spans_written_total')
  const written = async (): Promise<number> => (await server.metric('spanhouse_spans_written_total')) - before
  await send(account.key)
  await expect.poll(written, PATIENCE).toBeGreaterThanOrEqual(1)
  await expect.poll(() => stored(project), PATIENCE).toEqual([1])
  clickhouse.pause()
  for (let time = 0; time < 5; time++) await send(account.key)
  await administer('DELETE', '/simple/accounts/', { accounts: { x: { user: { id: account.user.id } } } })
  clickhouse.resume()
  // What timed out while ClickHouse was paused may be written again and is counted again.
  await expect.poll(written, PATIENCE).toBeGreaterThanOrEqual(6)
  await expect.poll(() => stored(project), PATIENCE).toEqual([0])
})
