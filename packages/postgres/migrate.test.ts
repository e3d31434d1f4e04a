import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { onEachDatabase } from './database.testing.ts'
import { databaseProblem } from './database-problem.ts'
import { migrateToLatest } from './migrate.ts'
import { MIGRATIONS_DIR } from './migrations-dir.ts'

onEachDatabase('migrations', postgres => {
  let dir: string
  beforeEach(async () => {
    dir = await mkdtemp(join(tmpdir(), 'spanhouse-migrations-'))
    // A database knows the migrations it has had; every set in these tests starts with those.
    for (const name of await readdir(MIGRATIONS_DIR)) await write(name, '')
  })
  afterEach(() => rm(dir, { recursive: true, force: true }))
  const write = (name: string, text: string) => writeFile(join(dir, name), text)

  test('a file is a script: several statements, quotes and bodies with semicolons', async () => {
    await write(
      '902_script.sql',
      `create table scripted (text text default 'it''s; fine'); -- a comment; with a semicolon
       create function twice(n int) returns int language sql as $$ select n; select n * 2; $$;
       insert into scripted values (default);`,
    )
    expect(await migrateToLatest(postgres().db, dir)).toEqual(['902_script'])
    expect(await migrateToLatest(postgres().db, dir)).toEqual([])
    const { rows } = await sql`select text, twice(21) as number from scripted`.execute(postgres().db)
    expect(rows).toEqual([{ text: "it's; fine", number: 42 }])
  })

  test('a file that fails undoes what ran with it, and says which it was', async () => {
    await write('902_script.sql', '')
    await write('903_good.sql', 'create table good (id int)')
    await write('904_bad.sql', 'create table half (id int); select nonsense')
    await expect(migrateToLatest(postgres().db, dir)).rejects.toThrow(/migration 904_bad failed: .*nonsense/)
    const { rows } = await sql`select to_regclass('good') as good, to_regclass('half') as half`.execute(postgres().db)
    expect(rows).toEqual([{ good: null, half: null }])
  })

  test('a deadlock with another process may be tried again', async () => {
    await write('902_script.sql', '')
    await write('903_good.sql', '')
    await write('904_deadlock.sql', "do $$ begin raise exception using errcode = 'deadlock_detected'; end $$")
    const error = await migrateToLatest(postgres().db, dir).catch(error => error)
    expect(databaseProblem(error)).toMatchObject({ code: 'overloaded', retryable: true })
  })

  test('a database of a newer version is refused', async () => {
    await write('902_script.sql', '')
    await write('903_good.sql', '')
    await write('905_newer.sql', 'create table newer (id int)')
    await migrateToLatest(postgres().db, dir)
    await rm(join(dir, '905_newer.sql'))
    await expect(migrateToLatest(postgres().db, dir)).rejects.toThrow(
      'The database has migration 905_newer, which is unknown to this version of Spanhouse: start a newer version.',
    )
    await write('905_newer.sql', '')
  })

  test('a file with another name is refused', async () => {
    await write('notes.sql', '')
    await expect(migrateToLatest(postgres().db, dir)).rejects.toThrow('notes.sql is not a valid migration name')
  })
})
