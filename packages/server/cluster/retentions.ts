import type { Uuid } from '@spanhouse/model'
import type { Database } from '@spanhouse/postgres'
import { type Engine, keepFor } from '@spanhouse/span-store'

/**
 * Tells a server that is new in the cluster for how long each project keeps its spans. Resolves early if the signal
 * aborts.
 */
export async function fillRetentions(own: Engine, db: Database, signal?: AbortSignal): Promise<void> {
  const written = new Map<Uuid, number>()
  for (let changed = await retentions(db); changed.length > 0 && !signal?.aborted; ) {
    for (const { id, days } of changed) {
      await keepFor(own, id, days)
      written.set(id, days)
    }
    // A setting may have changed, and the older one have been written last.
    changed = (await retentions(db)).filter(({ id, days }) => written.get(id) !== days)
  }
}

async function retentions(db: Database): Promise<{ id: Uuid; days: number }[]> {
  const rows = await db.selectFrom('projects').select(['id', 'retention_days']).execute()
  return rows.map(({ id, retention_days }) => ({ id, days: retention_days ?? 0 }))
}
