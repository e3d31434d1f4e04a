import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay, setImmediate as nextRound } from 'node:timers/promises'
import { sql } from 'kysely'
import { afterAll, expect, test } from 'vitest'
import { databaseProblem } from '../database-problem.ts'
import { onBehalfOf } from '../on-behalf-of.ts'
import { openPostgres, type Postgres, type PostgresOptions } from '../postgres.ts'
import type { Database } from '../tables.ts'

const dataDirs: string[] = []
const opened: Postgres[] = []
afterAll(async () => {
  for (const postgres of opened) await postgres.close()
  for (const dataDir of dataDirs) rmSync(dataDir, { recursive: true, force: true })
})

/** For a test that sets limits, closes it, or counts on no earlier work. */
async function openOwn(embeddedLimits: PostgresOptions['embeddedLimits'] = {}): Promise<Postgres> {
  const dataDir = mkdtempSync(join(tmpdir(), 'spanhouse-embedded-'))
  dataDirs.push(dataDir)
  const postgres = await openPostgres({ dataDir, embeddedLimits })
  opened.push(postgres)
  return postgres
}

let shared: Promise<Postgres> | undefined
/** The one that the other tests share: opening one takes more than a second of processor time. */
const open = async (): Promise<Database> => {
  shared ??= openOwn()
  return (await shared).db
}

/** Seconds of work on any machine. */
const slow = (db: Database) => sql`select count(*) from generate_series(1, 5000000)`.execute(db)
const endless = (db: Database) => sql`select count(*) from generate_series(1, 10000000000)`.execute(db)
const one = async (db: Database) => (await sql<{ one: number }>`select 1 as one`.execute(db)).rows
const problemOf = (work: Promise<unknown>) => work.then(() => undefined, databaseProblem)

/** The longest time that the event loop was held meanwhile. */
async function longestHoldMs(work: Promise<unknown>): Promise<number> {
  let longest = 0
  let last = performance.now()
  const tick = (): void => {
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }
  const ticking = setInterval(tick, 5)
  await work
  clearInterval(ticking)
  tick()
  return longest
}

test('a long statement holds up nothing but the database', async () => {
  const db = await open()
  const start = performance.now()
  const longest = await longestHoldMs(slow(db))
  expect(longest).toBeLessThan((performance.now() - start) / 2)
})

test('a large result is read in parts', async () => {
  const db = await open()
  const wide = sql<{ n: number; at: string }>`
    select n, now() as at, json_build_object('text', repeat('x', 400), 'n', n) as data from generate_series(1, 50000) n`
  const { rows } = await wide.execute(db)
  expect(rows.map(row => row.n)).toEqual(Array.from({ length: 50_000 }, (_, n) => n + 1))
  expect(await longestHoldMs(wide.execute(db))).toBeLessThan(500)
})

test('long JSON is read in pieces', async () => {
  const db = await open()
  const long = sql<{ data: { n: number }[] }>`
    select json_agg(json_build_object('n', n, 'text', 'some text', 'list', json_build_array(1, 2))) as data
    from generate_series(1, 400000) n`
  let data: { n: number }[] = []
  const reading = long.execute(db).then(({ rows }) => {
    data = rows[0]?.data ?? []
  })
  expect(await longestHoldMs(reading)).toBeLessThan(500)
  expect(data.map(one => one.n)).toEqual(Array.from({ length: 400_000 }, (_, n) => n + 1))
})

test('a value that cannot be read leaves no rows behind for the next statement', async () => {
  const db = await open()
  const unreadable = sql`select 9007199254740993::bigint as n, repeat('x', 1000) from generate_series(1, 2000)`
  await expect(unreadable.execute(db)).rejects.toThrow('is too large for')
  expect(await one(db)).toEqual([{ one: 1 }])
})

test('callers beyond the limit are refused, and so are those that have waited too long', async () => {
  const { db } = await openOwn({ waitingMax: 2, waitMs: 100, statementMs: 2_000 })
  const running = endless(db)
  const waiting = [one(db), one(db)].map(problemOf)
  expect(await problemOf(one(db))).toMatchObject({ code: 'overloaded', retryAfterSeconds: 5 })
  expect(await Promise.all(waiting)).toMatchObject([{ code: 'overloaded' }, { code: 'overloaded' }])
  expect(await problemOf(running)).toMatchObject({ code: 'query_timeout' })
  expect(await one(db)).toEqual([{ one: 1 }])
})

test('a statement that takes too long is ended, its transaction undone, and what was committed is there', async () => {
  const { db } = await openOwn({ statementMs: 500 })
  await sql`create table numbers (n int)`.execute(db)
  await sql`insert into numbers values (1)`.execute(db)
  const transaction = db.transaction().execute(async trx => {
    await sql`insert into numbers values (2)`.execute(trx)
    await endless(trx).catch(() => undefined)
    // Outside of a transaction by now, it must not be carried out.
    await sql`insert into numbers values (3)`.execute(trx)
  })
  const waiting = sql`select n from numbers`.execute(db)
  expect(await problemOf(transaction)).toMatchObject({ code: 'query_timeout' })
  expect((await waiting).rows).toEqual([{ n: 1 }])
})

test('after a panic the database is opened again', async () => {
  const { db } = await openOwn()
  await sql`create table numbers (n int)`.execute(db)
  // A checkpoint cannot write this file then, as on a full disk.
  const file = join(dataDirs.at(-1) as string, 'cluster', 'pg_logical', 'replorigin_checkpoint.tmp')
  mkdirSync(file)
  const transaction = db.transaction().execute(async trx => {
    await sql`insert into numbers values (1)`.execute(trx)
    await sql`checkpoint`.execute(trx).catch(() => rmSync(file, { recursive: true }))
    // Outside of a transaction by now, it must not be carried out.
    await sql`insert into numbers values (2)`.execute(trx)
  })
  const waiting = sql`select n from numbers`.execute(db)
  await expect(transaction).rejects.toMatchObject({ severity: 'PANIC' })
  expect((await waiting).rows).toEqual([])
})

test('statements of one transaction may be asked for at once', async () => {
  const db = await open()
  const rows = await db
    .transaction()
    .execute(trx =>
      Promise.all([1, 2, 3].map(async n => (await sql<{ n: number }>`select ${n}::int as n`.execute(trx)).rows[0]?.n)),
    )
  expect(rows).toEqual([1, 2, 3])
})

test('the next statement is with the database before this thread has looked at the result of the one before', async () => {
  const db = await open()
  const holdLoop = (): void => {
    for (const end = performance.now() + 50; performance.now() < end; );
  }
  const statements = 40
  let isDone = false
  const all = Promise.all(Array.from({ length: statements }, () => one(db))).finally(() => {
    isDone = true
  })
  let rounds = 0
  for (; !isDone; rounds++) {
    holdLoop()
    await nextRound()
  }
  await all
  expect(rounds).toBeLessThan(statements * 0.75)
})

test('each caller gets the rows of its own statement, in parts or not, while others fail', async () => {
  const db = await open()
  const wide = (from: number) =>
    sql<{ n: number }>`
    select n, repeat('x', 400) as text from generate_series(${from}::int, ${from + 3_000}::int) n`.execute(db)
  const unreadable = () =>
    sql`select 9007199254740993::bigint as n, repeat('x', 1000) from generate_series(1, 2000)`.execute(db)
  const asked = Array.from({ length: 12 }, async (_, index) => {
    if (index % 3 === 2) await expect(unreadable()).rejects.toThrow('is too large for')
    else expect((await wide(index)).rows.map(({ n }) => n)).toEqual(Array.from({ length: 3_001 }, (_, n) => n + index))
  })
  await Promise.all(asked)
})

test('nothing comes between the statements of a transaction', async () => {
  const db = await open()
  await sql`create table numbers (n int)`.execute(db)
  const counts: number[] = []
  const count = async () =>
    counts.push((await sql<{ n: number }>`select count(*)::int as n from numbers`.execute(db)).rows[0]?.n ?? 0)
  const add = () =>
    db.transaction().execute(async trx => {
      for (let n = 0; n < 3; n++) await sql`insert into numbers values (${n})`.execute(trx)
    })
  await Promise.all(Array.from({ length: 24 }, (_, n) => (n % 3 === 0 ? add() : count())))
  expect(counts.filter(n => n % 3 !== 0)).toEqual([])
})

test('a statement sent behind one that takes too long gets an answer', async () => {
  const { db } = await openOwn({ statementMs: 500 })
  const [ended, waiting] = [problemOf(endless(db)), problemOf(one(db))]
  expect(await ended).toMatchObject({ code: 'query_timeout' })
  expect([undefined, 'overloaded']).toContain((await waiting)?.code)
  expect(await one(db)).toEqual([{ one: 1 }])
})

test('a project that has much to do keeps others waiting for one turn of it at most', async () => {
  const { db } = await openOwn()
  const order: string[] = []
  const ask = (owner: string, name: string) =>
    onBehalfOf(owner, async () => {
      // Some milliseconds of work, so that what each has had differs by its turns and not by chance.
      await sql`select count(*) from generate_series(1, 20000)`.execute(db)
      order.push(name)
    })
  const busy = Array.from({ length: 12 }, (_, n) => ask('busy', `busy${n}`))
  const others = [ask('other', 'other'), one(db).then(() => order.push('nobody'))]
  await Promise.all([...busy, ...others])
  expect(order.indexOf('nobody')).toBe(1)
  expect(order.indexOf('other')).toBeLessThanOrEqual(3)
})

test('a transaction that takes too long is rolled back, and those that wait go on at once', async () => {
  const { db } = await openOwn({ transactionMs: 200 })
  await sql`create table numbers (n int)`.execute(db)
  const resume = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const transaction = db.transaction().execute(async trx => {
    await sql`insert into numbers values (1)`.execute(trx)
    begun.resolve()
    await resume.promise
    await sql`insert into numbers values (2)`.execute(trx)
  })
  await begun.promise
  expect((await sql`select n from numbers`.execute(db)).rows).toEqual([])
  resume.resolve()
  expect(await problemOf(transaction)).toMatchObject({ code: 'query_timeout' })
  await db.transaction().execute(trx => sql`insert into numbers values (3)`.execute(trx))
  expect((await sql`select n from numbers`.execute(db)).rows).toEqual([{ n: 3 }])
})

test('a transaction without a statement needs none, and one whose first statement fails leaves nothing behind', async () => {
  const db = await open()
  expect(await db.transaction().execute(async () => 'nothing')).toBe('nothing')
  const failing = db.transaction().execute(trx => sql`select 1 / 0`.execute(trx))
  await expect(failing).rejects.toMatchObject({ code: '22012' })
  expect(await one(db)).toEqual([{ one: 1 }])
})

test('closing waits for the transaction that runs and for those that wait', async () => {
  const postgres = await openOwn()
  const { db } = postgres
  const begun = Promise.withResolvers<void>()
  const running = db.transaction().execute(async trx => {
    begun.resolve()
    await delay(50)
    return one(trx)
  })
  await begun.promise
  const waiting = one(db)
  await postgres.close()
  expect(await running).toEqual([{ one: 1 }])
  expect(await waiting).toEqual([{ one: 1 }])
  await expect(one(db)).rejects.toThrow('destroyed')
})
