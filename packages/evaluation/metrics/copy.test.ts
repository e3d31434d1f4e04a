import { newId, sql } from '@spanhouse/postgres'
import { onNetworkedDatabase } from '@spanhouse/postgres/database.testing.ts'
import type { Engine } from '@spanhouse/span-store'
import { expect, test } from 'vitest'
import { type CopyStores, copyChanges, copyRun } from './copy.ts'

/** A ClickHouse that remembers the ids of cells that were copied, and how far the copy is. */
function recording() {
  const copied: string[] = []
  const feed = { before: 1 }
  const command = async ({ text, params }: { text: string; params: { rows?: string; copied_before?: number } }) => {
    if (params.copied_before !== undefined) feed.before = params.copied_before
    if (!text.includes('INTO evaluation_cells')) return
    for (const line of (params.rows ?? '').split('\n')) copied.push(JSON.parse(line)[3])
  }
  const engine = { command, rows: async () => [{ copied_before: feed.before }] } as unknown as Engine
  return { engine, feed, taken: () => copied.splice(0) }
}

onNetworkedDatabase('the copy of cells', postgres => {
  type Run = Parameters<typeof copyRun>[1]

  async function writeCell(run: Run, db = postgres().db): Promise<string> {
    const id = newId()
    await sql`insert into evaluation_results (project_id, id, run_id, scenario_id, step_key)
      values (${run.project_id}, ${id}, ${run.id}, ${newId()}, 'step')`.execute(db)
    return id
  }

  test.each([
    ['all changes', (stores: CopyStores) => copyChanges(stores)],
    ['those of a run', copyRun],
  ])('%s are copied once while a transaction lasts, and what it has written when it has ended', async (_name, copy) => {
    const { db } = postgres()
    const run = { project_id: newId(), id: newId() }
    const { engine, feed, taken } = recording()
    const written = await db.transaction().execute(async lasting => {
      const late = await writeCell(run, lasting as typeof db)
      const early = await writeCell(run)
      await copy({ db, engine }, run)
      expect(taken()).toEqual([early])
      const next = await writeCell(run)
      await copy({ db, engine }, run)
      expect(taken()).toEqual([next])
      return [late, early, next]
    })
    await copy({ db, engine }, run)
    expect(taken()).toEqual(written.slice(0, 1))
    // ClickHouse was emptied.
    feed.before = 0
    await copy({ db, engine }, run)
    expect(taken()).toEqual(written)
  })
})
