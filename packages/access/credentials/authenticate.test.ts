import { createHmac } from 'node:crypto'
import { type Database, newId, openPostgres, type Postgres } from '@spanhouse/postgres'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { onEachDatabase } from '../../postgres/database.testing.ts'
import { type PostgresServer, postgresAvailable, startPostgres } from '../../postgres/postgres-server.testing.ts'
import { makeAccount } from '../account.testing.ts'
import { makeApiKey } from './api-key.ts'
import { type Authenticator, openAuthenticator } from './authenticate.ts'
import { type ProjectPrincipal, requireAdmin, requirePermission, requireProject } from './principal.ts'
import { setProjectQuotas } from './project-quotas.ts'
import { quotasBody } from './quota.ts'
import { createApiKey, insertApiKey, revokeApiKey } from './stored-keys.ts'

const ADMIN_KEY = 'the admin key'
const TOKEN_KEY = 'the key of tokens'
const UNAUTHORIZED = { status: 401, detail: { message: 'Unauthorized' } }

const project = async (authenticator: Authenticator, header: string): Promise<ProjectPrincipal> => {
  const principal = await authenticator.authenticate(header, '/spans')
  requireProject(principal)
  return principal
}

/** The token of a worker says for whom it acts, not with which key. */
const withoutKey = ({ key_prefix: _key, ...principal }: ProjectPrincipal): ProjectPrincipal => principal

onEachDatabase('authentication', postgres => {
  const db = () => postgres().db
  let authenticator: Authenticator
  let key: string
  let principal: ProjectPrincipal
  beforeAll(async () => {
    authenticator = openAuthenticator(db(), { adminKey: ADMIN_KEY, tokenKey: TOKEN_KEY })
    key = (await makeAccount(db())).api_keys?.key as string
    principal = await project(authenticator, `ApiKey ${key}`)
  })
  afterAll(() => authenticator.close())

  test('a key alone, as it was sent before there were schemes', async () => {
    expect(await project(authenticator, key)).toEqual(principal)
  })

  test.each([
    ['nothing', () => undefined],
    ['an empty header', () => ''],
    ['a scheme without a key', () => 'ApiKey'],
    ['a scheme and a space', () => 'ApiKey '],
    ['two spaces', () => `ApiKey  ${key}`],
    ['another case', () => `apikey ${key}`],
    ['another scheme', () => `Basic ${key}`],
    ['a session', () => `Bearer ${key}`],
    ['an unknown key', () => `ApiKey ${makeApiKey()}`],
    ['the prefix with another secret', () => `ApiKey ${key.slice(0, 9)}${'0'.repeat(64)}`],
    ['the key in capitals', () => `ApiKey ${key.toUpperCase()}`],
    ['more than the key', () => `ApiKey ${key} x`],
    ['the admin key', () => `Access ${ADMIN_KEY}`],
  ])('%s is nobody', async (_name, header) => {
    const refusal = authenticator.authenticate(header(), '/spans')
    await expect(refusal).rejects.toMatchObject(UNAUTHORIZED)
    await expect(refusal).rejects.not.toHaveProperty('detail.reason')
  })

  describe('admin paths', () => {
    test.each(['/admin/simple/accounts/', '/api/admin/accounts', '/x/admin/y?z=1'])(
      '%s takes the admin key',
      async path => {
        const admin = await authenticator.authenticate(`Access ${ADMIN_KEY}`, path)
        expect(admin).toEqual({ kind: 'admin' })
        requireAdmin(admin)
        expect(() => requirePermission(admin, 'view_spans')).toThrow(expect.objectContaining({ status: 401 }))
      },
    )

    test.each([
      ['an API key', () => `ApiKey ${key}`],
      ['a bare key', () => key],
      ['a Secret token', () => authenticator.mintSecret(principal)],
      ['the bare admin key', () => ADMIN_KEY],
      ['another admin key', () => `Access ${ADMIN_KEY}2`],
      ['no admin key', () => 'Access '],
    ])('and not %s', async (_name, header) => {
      await expect(authenticator.authenticate(await header(), '/admin/x')).rejects.toMatchObject(UNAUTHORIZED)
    })

    test('are closed where there is no admin key', async () => {
      for (const adminKey of [undefined, '']) {
        const closed = openAuthenticator(db(), { adminKey })
        for (const header of ['Access ', 'Access undefined', 'Access']) {
          await expect(closed.authenticate(header, '/admin/x')).rejects.toMatchObject(UNAUTHORIZED)
        }
      }
    })

    test('a query does not make a path one', async () => {
      const refused = authenticator.authenticate(`Access ${ADMIN_KEY}`, '/spans?next=/admin/')
      await expect(refused).rejects.toMatchObject(UNAUTHORIZED)
    })
  })

  describe('the project in the query', () => {
    const nil = '00000000-0000-0000-0000-000000000000'
    test.each([
      { project_id: nil },
      { workspace_id: nil },
      { project_id: 'null' },
      { workspace_id: 'null' },
      { project_id: nil.replaceAll('-', '') },
      { project_id: [newId(), nil] },
    ])('%j is nobody', async parameters => {
      await expect(authenticator.authenticate(key, '/spans', parameters)).rejects.toMatchObject(UNAUTHORIZED)
    })

    test.each([{ project_id: newId() }, { project_id: 'x' }, { workspace_id: '' }, {}])(
      '%j is ignored',
      async parameters => {
        expect(await authenticator.authenticate(key, '/spans', parameters)).toEqual(principal)
      },
    )
  })

  describe('roles', () => {
    const as = async (role: string, members: object = {}): Promise<ProjectPrincipal> => {
      const owner = await makeAccount(db())
      const membership = (scope: string, id: string) => [{ [`${scope}_ref`]: { id }, user_ref: { ref: 'user' }, role }]
      const guest = await makeAccount(db(), {
        organization_memberships: membership('organization', owner.organizations.org.id),
        workspace_memberships: membership('workspace', owner.workspaces.wrk.id),
        project_memberships: membership('project', owner.projects.prj.id),
        ...members,
      })
      const project_id = owner.projects.prj.id
      return project(authenticator, `ApiKey ${await insertApiKey(db(), { user_id: guest.user.id, project_id })}`)
    }

    test.each([
      ['viewer', 23],
      ['annotator', 32],
      ['editor', 48],
      ['developer', 53],
      ['admin', 59],
      ['owner', 64],
      ['unheard-of', 0],
    ])('a key acts as its user, a %s with %i permissions', async (role, count) => {
      const principal = await as(role)
      expect([principal.role, principal.permissions.size]).toEqual([role, count])
    })

    test('a permission that is missing is a 403 that names it', async () => {
      const viewer = await as('viewer')
      requirePermission(viewer, 'view_spans')
      expect(() => requirePermission(viewer, 'edit_spans')).toThrow(
        expect.objectContaining({ status: 403, detail: expect.stringContaining('edit_spans') }),
      )
    })

    test.each(['organization_memberships', 'workspace_memberships'])(
      'without %s a project role counts for nothing',
      async list => {
        const { role, permissions } = await as('owner', { [list]: undefined })
        expect([role, permissions.size]).toEqual([null, 0])
      },
    )
  })

  describe('Secret tokens', () => {
    test('stand for the principal they were made for', async () => {
      const header = await authenticator.mintSecret(principal)
      expect(header).toMatch(/^Secret [\w-]+\.[\w-]+\.[\w-]+$/)
      expect(await project(authenticator, header)).toEqual({ ...withoutKey(principal), isWorker: true })
      expect(await project(authenticator, await authenticator.mintSecret(principal, { forCaller: true }))).toEqual(
        principal,
      )
    })

    test('of a caller have the quota of the key, and end with it', async () => {
      const own = await project(authenticator, (await makeAccount(db())).api_keys?.key as string)
      const prefix = own.key_prefix as string
      const key_quota = { requests_per_second: 1 }
      const quotas = quotasBody.parse({ project: {}, keys: { [prefix]: key_quota } })
      await setProjectQuotas(db(), authenticator, { principal: own, quotas })
      const header = await authenticator.mintSecret(own, { forCaller: true })
      const bearer = await project(authenticator, header)
      expect(bearer).toMatchObject({ key_prefix: prefix, key_quota })
      const again = await authenticator.mintSecret(bearer, { forCaller: true })
      await revokeApiKey(db(), authenticator, own, prefix)
      for (const token of [header, again])
        await expect(project(authenticator, token)).rejects.toMatchObject({
          status: 401,
          detail: { reason: 'invalid_token' },
        })
    })

    test('of a caller end when the key expires', async () => {
      const own = await project(authenticator, (await makeAccount(db())).api_keys?.key as string)
      const { user_id, project_id } = own
      const expired = await insertApiKey(db(), { user_id, project_id, expires_at: '2026-01-01T00:00:00Z' })
      const asked = { ...own, key_prefix: expired.slice(0, 8) }
      const header = await authenticator.mintSecret(asked, { forCaller: true })
      await expect(project(authenticator, header)).rejects.toMatchObject({ detail: { reason: 'invalid_token' } })
    })

    const signed = (claims: object, key: string) => {
      const text = [{ alg: 'HS256' }, claims]
        .map(one => Buffer.from(JSON.stringify(one)).toString('base64url'))
        .join('.')
      return `Secret ${text}.${createHmac('sha256', key).update(text).digest('base64url')}`
    }
    const future = Math.floor(Date.now() / 1000) + 60

    test.each([
      ['one that anybody with the key can make', () => ({ ...principal, exp: future }), TOKEN_KEY, null],
      ['one with the admin key', () => ({ ...principal, exp: future }), ADMIN_KEY, 'invalid_token'],
      ['an expired one', () => ({ ...principal, exp: 1 }), TOKEN_KEY, 'expired_signature'],
      ['one with another key', () => ({ ...principal, exp: future }), 'other', 'invalid_token'],
      [
        'one for a project that is gone',
        () => ({ ...principal, project_id: newId(), exp: future }),
        TOKEN_KEY,
        'invalid_token',
      ],
    ])('%s', async (_name, claims, signingKey, reason) => {
      const answer = authenticator.authenticate(signed(claims(), signingKey), '/x')
      if (reason === null) expect(await answer).toMatchObject(withoutKey(principal))
      else await expect(answer).rejects.toMatchObject({ status: 401, detail: { message: 'Unauthorized', reason } })
    })

    test('are good where they were signed', async () => {
      const other = openAuthenticator(db(), { adminKey: ADMIN_KEY, tokenKey: 'separate' })
      await expect(project(other, await authenticator.mintSecret(principal))).rejects.toMatchObject({ status: 401 })
      expect(await project(other, await other.mintSecret(principal))).toMatchObject(withoutKey(principal))
    })

    test('do not exist where there is nothing to sign them with', async () => {
      const none = openAuthenticator(db(), { adminKey: ADMIN_KEY })
      await expect(none.mintSecret(principal)).rejects.toThrow('need a signing key')
      await expect(project(none, await authenticator.mintSecret(principal))).rejects.toMatchObject({ status: 401 })
    })
  })

  describe('another process', () => {
    test('goes on accepting what was revoked here for the time it caches, and no longer', async () => {
      const other = openAuthenticator(db(), { cacheSeconds: 0.3 })
      const own = await project(authenticator, (await makeAccount(db())).api_keys?.key as string)
      const revoked = await createApiKey(db(), own)
      await project(other, revoked)
      await revokeApiKey(db(), authenticator, own, revoked.slice(0, 8))
      const since = performance.now()
      await expect
        .poll(() => project(other, revoked).catch(error => error), { interval: 10 })
        .toMatchObject(UNAUTHORIZED)
      // Three tenths of a second, on a busy machine too.
      expect(performance.now() - since).toBeLessThan(5_000)
    })
  })

  test('a thousand requests with unknown keys cost a few statements', async () => {
    const { statements, counted } = countingStatements(db())
    const flooded = openAuthenticator(counted, {})
    await project(flooded, key)
    const keys = Array.from({ length: 1_000 }, makeApiKey)
    const results = await Promise.allSettled(keys.map(one => project(flooded, one)))
    for (const result of results) expect(result).toMatchObject({ status: 'rejected', reason: UNAUTHORIZED })
    expect(statements()).toBeLessThan(10)
    await flooded.close()
  })
})

/** The same database, with a count of its queries. */
function countingStatements(db: Database): { counted: Database; statements: () => number } {
  let count = 0
  const counted = db.withPlugin({
    transformQuery: ({ node }) => {
      count++
      return node
    },
    transformResult: async ({ result }) => result,
  })
  return { counted, statements: () => count }
}

describe.skipIf(!postgresAvailable)('when the database is down', () => {
  let server: PostgresServer
  let postgres: Postgres
  beforeAll(async () => {
    server = await startPostgres({ durable: true })
    postgres = await openPostgres({ url: server.url })
    await postgres.migrate()
  })
  afterAll(async () => {
    await postgres?.close()
    await server?.stop()
  })

  test('what was known goes on, anything else is 503 and never 401, and all works again when it is back', async () => {
    const authenticator = openAuthenticator(postgres.db, { adminKey: ADMIN_KEY, tokenKey: TOKEN_KEY, cacheSeconds: 0 })
    const key = (await makeAccount(postgres.db)).api_keys?.key as string
    const other = (await makeAccount(postgres.db)).api_keys?.key as string
    const principal = await project(authenticator, key)
    const token = await authenticator.mintSecret(principal)
    await server.kill()
    for (const header of [key, token]) expect(await project(authenticator, header)).toMatchObject(withoutKey(principal))
    for (const header of [other, makeApiKey()]) {
      const refused = authenticator.authenticate(header, '/spans')
      await expect(refused).rejects.toMatchObject({ status: 503, retryAfterSeconds: 5 })
    }
    await expect(authenticator.authenticate('x y', '/spans')).rejects.toMatchObject(UNAUTHORIZED)
    expect(await authenticator.authenticate(`Access ${ADMIN_KEY}`, '/admin/x')).toEqual({ kind: 'admin' })
    await server.restart()
    expect(await project(authenticator, key)).toEqual(principal)
    await authenticator.close()
  })
})
