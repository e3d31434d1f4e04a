import { Problem, type Uuid } from '@spanhouse/model'
import { sql } from '@spanhouse/postgres'
import type { Scope } from './kind.ts'
import { withRegistryProblems } from './problems.ts'
import { type RevisionRow, selectRows, type VariantRow } from './rows/rows.ts'

/** How long a commit waits for another commit to the same variant. */
const LOCK_MS_MAX = 5_000

/** A variant whose row is locked, and its current state. */
export interface LockedVariant {
  variant: VariantRow
  /** The newest revision that is not archived. */
  head: RevisionRow | undefined
  nextVersion: number
}

/** The variant, with its row locked until the transaction ends. 404 if it does not exist. */
export async function lockVariant(scope: Scope, id: Uuid): Promise<VariantRow> {
  await sql`select set_config('lock_timeout', ${String(LOCK_MS_MAX)}, true)`.execute(scope.db)
  const where = [sql`v.id = ${id}`]
  const [variant] = await withRegistryProblems(() =>
    selectRows(scope, 'variant', { where, tail: sql`for no key update of v` }),
  )
  if (!variant) throw new Problem('not_found', `There is no ${scope.kind.name} variant ${id}.`)
  return variant
}

/** Reads the head after the lock is taken: the locking statement may see older revisions next to the locked row. */
export async function headOf(scope: Scope, variantId: Uuid): Promise<Omit<LockedVariant, 'variant'>> {
  const isOnVariant = sql`r.variant_id = ${variantId}`
  const tail = sql`order by r.version desc limit 1`
  const [newest] = await selectRows(scope, 'revision', { where: [isOnVariant], tail })
  const nextVersion = (newest?.version ?? -1) + 1
  if (newest?.deleted_at == null) return { head: newest, nextVersion }
  const [head] = await selectRows(scope, 'revision', { where: [isOnVariant, sql`r.deleted_at is null`], tail })
  return { head, nextVersion }
}
