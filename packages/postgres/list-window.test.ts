import { parseTime } from '@spanhouse/model'
import { sql } from 'kysely'
import { expect, test } from 'vitest'
import { onEachDatabase } from './database.testing.ts'
import { listWindow } from './list-window.ts'
import { lowestIdAt } from './uuid-v7.ts'

const at = (day: string): number => Date.parse(`2026-03-${day}T00:00:00Z`)
const micros = (day: string): number => parseTime(`2026-03-${day}T00:00:00Z`) as number

onEachDatabase('the window of a list', postgres => {
  /** Of rows that were all created on the same day, the days of the ids that a window finds. */
  async function found(bounds: { newest?: number; oldest?: number }, isAscending: boolean): Promise<string[]> {
    const days = ['01', '05', '09', '10', '11', '15', '20']
    const rows = days.map(day => sql`(${lowestIdAt(at(day))}::uuid, '2026-03-10T00:00:00Z'::timestamptz, ${day})`)
    const order = { created_at: sql`created_at`, by: [sql`id`], areIdsTimed: true, isAscending }
    const { conditions, tail } = listWindow(bounds, order)
    const { rows: read } = await sql<{ day: string }>`
      select day from (values ${sql.join(rows)}) t(id, created_at, day) where ${sql.join(conditions, sql` and `)} ${tail}`.execute(
      postgres().db,
    )
    return read.map(({ day }) => day)
  }

  test('ids that are made with their rows are read only within a day of its bounds', async () => {
    expect(await found({ oldest: micros('09') }, true)).toEqual(['09', '10', '11', '15', '20'])
    expect(await found({ newest: micros('11') }, false)).toEqual(['11', '10', '09', '05', '01'])
    expect(await found({ oldest: micros('08'), newest: micros('12') }, true)).toEqual(['09', '10', '11'])
  })

  test('bounds before and after all ids', async () => {
    const [first, last] = [parseTime('1970-01-01T00:00:00Z') as number, parseTime('2200-01-01T00:00:00Z') as number]
    expect(await found({ oldest: first, newest: last }, true)).toHaveLength(7)
    expect(await found({ oldest: last }, true)).toEqual([])
  })
})
