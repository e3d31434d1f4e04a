import {
  createSecret,
  createSecretBody,
  ensureDefaultProject,
  openVault,
  type ProjectPrincipal,
} from '@spanhouse/access'
import type { Uuid } from '@spanhouse/model'
import { openPostgres, type Postgres } from '@spanhouse/postgres'
import { type PostgresServer, postgresAvailable, startPostgres } from '@spanhouse/postgres/postgres-server.testing.ts'
import { validate } from '@spanhouse/validation'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ModelSecrets, untilReadable } from './model-secrets.ts'

/** A database of its own, which is killed in the middle. */
describe.skipIf(!postgresAvailable)('credentials of models', () => {
  const vault = openVault('a secret key of this deployment')
  let server: PostgresServer
  let postgres: Postgres
  let project_id: Uuid
  let user_id: Uuid
  beforeAll(async () => {
    server = await startPostgres()
    postgres = await openPostgres({ url: server.url })
    await postgres.migrate()
    await ensureDefaultProject(postgres.db, { apiKey: undefined, seeds: [] })
    const { id } = await postgres.db.selectFrom('projects').select('id').executeTakeFirstOrThrow()
    project_id = id
    user_id = (await postgres.db.selectFrom('users').select('id').executeTakeFirstOrThrow()).id
  })
  afterAll(async () => {
    await postgres.close()
    await server.stop()
  })

  const store = (kind: string): Promise<unknown> => {
    const principal = {
      kind: 'project',
      project_id,
      user_id,
      permissions: new Set(['edit_secret']),
    } as unknown as ProjectPrincipal
    const secret = { kind: 'provider_key', data: { kind, provider: { key: `key of ${kind}` } } }
    const body = validate(createSecretBody({ isOpen: false }), { header: {}, secret }, 'body')
    return createSecret(postgres.db, { vault, principal }, body)
  }

  test('are found as soon as another process has stored them, and "none" is not "unreachable"', async () => {
    const secrets = new ModelSecrets(postgres.db, vault)
    await expect(secrets.routeTo(project_id, 'gpt-4o-mini', undefined)).rejects.toMatchObject({
      type: 'v0:schemas:invalid-secrets',
    })
    await store('openai')
    expect(await secrets.routeTo(project_id, 'gpt-4o-mini', undefined)).toMatchObject({ key: 'key of openai' })
    await store('groq')
    expect(await secrets.routeTo(project_id, 'groq/some-model', undefined)).toMatchObject({ key: 'key of groq' })
    await server.kill()
    secrets.forget(project_id)
    await expect(secrets.routeTo(project_id, 'gpt-4o-mini', undefined)).rejects.toMatchObject({
      code: 'overloaded',
      status: 503,
    })
    await server.restart()
  })

  test('are waited for by runs that wait for the database, until their end', async () => {
    await store('mistral')
    const secrets = new ModelSecrets(postgres.db, vault)
    const find = (signal: AbortSignal) =>
      untilReadable(secrets, signal).routeTo(project_id, 'mistral/some-model', undefined)
    await server.kill()
    const ending = new AbortController()
    const [found, ended] = [find(new AbortController().signal), find(ending.signal)]
    await expect(secrets.routeTo(project_id, 'mistral/some-model', undefined)).rejects.toMatchObject({ status: 503 })
    ending.abort()
    await expect(ended).rejects.toMatchObject({ name: 'AbortError' })
    await server.restart()
    expect(await found).toMatchObject({ key: 'key of mistral' })
  })
})
