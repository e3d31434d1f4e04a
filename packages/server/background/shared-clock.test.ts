import { type Micros, microsNow, moveClock } from '@spanhouse/model'
import { type Database, sql } from '@spanhouse/postgres'
import { onEachDatabase } from '@spanhouse/postgres/database.testing.ts'
import { pino } from 'pino'
import { afterEach, expect, test } from 'vitest'
import { compareClocks } from './shared-clock.ts'

const log = pino({ level: 'silent' })
const MINUTE: Micros = 60_000_000

onEachDatabase('the clock of all processes', postgres => {
  let moved: Micros = 0
  const move = (micros: Micros): void => {
    moved += micros
    moveClock(micros)
  }
  const compare = async (db: Database = postgres().db): Promise<Micros> => {
    const difference = await compareClocks(db, log)
    moved += difference
    return difference
  }
  afterEach(() => move(-moved))

  test.each([-MINUTE, MINUTE])('is followed by one that is %i µs apart', async apart => {
    await compare()
    move(apart)
    const began = performance.now()
    const difference = await compare()
    const tookMicros = (performance.now() - began) * 1000
    expect(Math.abs(difference + apart)).toBeLessThan(tookMicros + 1_000)
    const before = microsNow()
    const { rows } = await sql<{ now: Date }>`select clock_timestamp() as now`.execute(postgres().db)
    const now = new Date(rows[0]?.now as Date).getTime() * 1000
    expect(now).toBeGreaterThan(before - tookMicros - 2_000)
    expect(now).toBeLessThan(microsNow() + tookMicros + 2_000)
  })

  test('moves none that agrees with it, however long the answer takes', async () => {
    await compare()
    // The embedded database answers after it.
    const before = sql`select pg_sleep(0.3)`.execute(postgres().db)
    expect(Math.abs(await compare())).toBeLessThan(2_000)
    await before
  })
})
