import { integerToJson } from '@spanhouse/model'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { onEachDatabase } from './database.testing.ts'
import { databaseProblem } from './database-problem.ts'
import { POSTGRES_LIMITS } from './limits.ts'
import { onBehalfOfUntil } from './on-behalf-of.ts'
import type { Database } from './tables.ts'
import { newId } from './uuid-v7.ts'
import { toJsonb } from './values.ts'

const user = (email: string) => ({ id: newId(), uid: newId(), email, username: email })

async function organizationOf(db: Database, values: { slug?: string; meta?: string | null }): Promise<string> {
  const owner = await db
    .insertInto('users')
    .values(user(`${newId()}@x.test`))
    .returning('id')
    .executeTakeFirstOrThrow()
  const id = newId()
  await db
    .insertInto('organizations')
    .values({ id, name: 'x', owner_id: owner.id, ...values })
    .execute()
  return id
}

onEachDatabase('the database', postgres => {
  test('migrating again does nothing', async () => {
    expect(await postgres().migrate()).toEqual([])
  })

  test('it answers', async () => {
    await postgres().ping()
  })

  test('work whose time is up waits for no connection, and what it has begun is finished', async () => {
    const { db } = postgres()
    const one = () => sql<{ one: number }>`select 1 as one`.execute(db)
    const ending = new AbortController()
    const connected = Promise.withResolvers<void>()
    const held = Promise.withResolvers<void>()
    const left = Promise.withResolvers<void>()
    const begun = onBehalfOfUntil('p', ending.signal, () =>
      db.connection().execute(async own => {
        connected.resolve()
        await held.promise
        return sql<{ one: number }>`select 1 as one`.execute(own)
      }),
    )
    await connected.promise
    const others = Array.from({ length: POSTGRES_LIMITS.connectionsMax - 1 }, () =>
      db.connection().execute(() => held.promise),
    )
    const waiting = onBehalfOfUntil('p', ending.signal, one)
    ending.abort(new Error('too late'))
    await expect(waiting).rejects.toThrow('too late')
    await expect(onBehalfOfUntil('p', ending.signal, one)).rejects.toThrow('too late')
    held.resolve()
    expect((await begun).rows).toEqual([{ one: 1 }])
    await Promise.all(others)
    const { later } = await onBehalfOfUntil('p', ending.signal, () => ({ later: left.promise.then(one) }))
    left.resolve()
    expect((await later).rows).toEqual([{ one: 1 }])
  })

  describe('values', () => {
    test.each([
      ['2026-02-03T10:00:00.123456Z', '2026-02-03T10:00:00.123456Z'],
      ['2026-02-03T10:00:00+02:00', '2026-02-03T08:00:00Z'],
    ])('the time %s is read as %s', async (written, read) => {
      const { db } = postgres()
      const id = newId()
      await db
        .insertInto('users')
        .values({ ...user(`${id}@x.test`), id, created_at: written })
        .execute()
      const row = await db.selectFrom('users').select(['created_at', 'updated_at']).where('id', '=', id).execute()
      expect(row).toEqual([{ created_at: read, updated_at: null }])
    })

    test('a time is read in UTC whatever the time zone of the session', async () => {
      await postgres()
        .db.connection()
        .execute(async db => {
          await sql`set time zone 'Asia/Kolkata'`.execute(db)
          const { rows } = await sql`select timestamptz '2026-01-01 00:00:00.5+00' as at`.execute(db)
          expect(rows).toEqual([{ at: '2026-01-01T00:00:00.500000Z' }])
          await sql`reset time zone`.execute(db)
        })
    })

    test.each([[{ a: [1, 'x', null], b: { c: true } }], [['a', { b: 1 }]], ['text'], [null]])(
      'JSON %j',
      async value => {
        const id = await organizationOf(postgres().db, { meta: toJsonb(value) })
        const row = await postgres().db.selectFrom('organizations').select('meta').where('id', '=', id).execute()
        expect(row).toEqual([{ meta: value }])
      },
    )

    test('JSON null is null, and long JSON is read as short JSON is', async () => {
      const long = { big: Array.from({ length: 50_000 }, (_, n) => ({ n, text: 'é' })), text: 'ü'.repeat(400_000) }
      const { rows } = await sql`
        select 'null'::jsonb as nothing, '9007199254740993'::json as exact, ${JSON.stringify(long)}::json as long
      `.execute(postgres().db)
      expect(rows).toEqual([{ nothing: null, exact: integerToJson(9007199254740993n), long }])
    })

    test('a count is a number, and an integer that no number can hold is an error', async () => {
      const { db } = postgres()
      const { rows } = await sql`select count(*) as count from generate_series(1, 3)`.execute(db)
      expect(rows).toEqual([{ count: 3 }])
      await expect(sql`select 9007199254740993::bigint as big`.execute(db)).rejects.toThrow('is too large for')
    })
  })

  describe('constraints', () => {
    test('emails differ in more than case', async () => {
      const { db } = postgres()
      await db.insertInto('users').values(user('One@x.test')).execute()
      const again = db.insertInto('users').values(user('one@X.test')).execute()
      const error = await again.catch(error => error)
      expect(databaseProblem(error)?.detail).toMatchObject({ conflict: { email: 'one@x.test' } })
    })

    test('a project lies in a workspace of its own organization', async () => {
      const { db } = postgres()
      const [one, other] = [await organizationOf(db, {}), await organizationOf(db, {})]
      const workspace_id = newId()
      await db.insertInto('workspaces').values({ id: workspace_id, organization_id: one, name: 'w' }).execute()
      const insert = (organization_id: string, is_default: boolean) =>
        db
          .insertInto('projects')
          .values({ id: newId(), organization_id, workspace_id, name: 'p', is_default })
          .execute()
      await expect(insert(other, false)).rejects.toMatchObject({ code: '23503' })
      await insert(one, true)
      await expect(insert(one, true)).rejects.toMatchObject({ code: '23505' })
    })
  })

  test('a transaction that fails leaves nothing', async () => {
    const { db } = postgres()
    const id = newId()
    const failing = db.transaction().execute(async trx => {
      await trx
        .insertInto('users')
        .values({ ...user(`${id}@x.test`), id })
        .execute()
      throw new Error('changed my mind')
    })
    await expect(failing).rejects.toThrow('changed my mind')
    expect(await db.selectFrom('users').selectAll().where('id', '=', id).execute()).toEqual([])
  })
})
