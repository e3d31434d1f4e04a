import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { openEmbedded } from '../embedded.ts'
import { analyzeGrown } from './statistics.ts'

test('tables are analyzed when they have grown', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'spanhouse-statistics-'))
  const { db, close } = await openEmbedded({ dataDir, onFailure: error => expect.unreachable(error.message) })
  const fill = (rows: number): Promise<unknown> =>
    sql`insert into grown select n from generate_series(1, ${rows}::integer) n`.execute(db)
  try {
    await sql`create table grown (n integer)`.execute(db)
    await sql`create table small (n integer)`.execute(db)
    await fill(20_000)
    expect(await analyzeGrown(db)).toEqual(['grown'])
    const { rows } = await sql`select n_distinct from pg_stats where tablename = 'grown'`.execute(db)
    expect(rows).toEqual([{ n_distinct: -1 }])
    expect(await analyzeGrown(db)).toEqual([])
    await fill(20_000)
    expect(await analyzeGrown(db)).toEqual(['grown'])
  } finally {
    await close()
    rmSync(dataDir, { recursive: true, force: true })
  }
})
