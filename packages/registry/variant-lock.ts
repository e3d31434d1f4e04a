import { Problem, type Uuid } from '@spanhouse/model'
import { sql } from '@spanhouse/postgres'
import type { Scope } from './kind.ts'
import { withRegistryProblems } from './problems.ts'
import { HEAD_FIRST } from './rows/find.ts'
import { type RevisionRow, selectRows, type VariantRow } from './rows/rows.ts'

/** How long a commit waits for another commit to the same variant. */
const LOCK_MS_MAX = 5_000

/** The variant, with its row locked until the transaction ends. 404 if it does not exist. */
export async function lockVariant(scope: Scope, id: Uuid): Promise<VariantRow> {
  await sql`select set_config('lock_timeout', ${String(LOCK_MS_MAX)}, true)`.execute(scope.db)
  const where = [sql`v.id = ${id}`]
  const [variant] = await withRegistryProblems(() =>
    selectRows(scope, 'variant', { where, tail: sql`for no key update of v` }),
  )
  if (!variant) throw new Problem('not_found', `The ${scope.kind.name} variant ${id} does not exist.`)
  return variant
}

/** Where the next revision of a variant goes. */
export interface Position {
  /** See {@link headOf}. */
  headId: Uuid | undefined
  nextVersion: number
}

/** Call this after the lock is taken: the locking statement may see older revisions next to the locked row. */
export async function positionOn({ db, project_id }: Scope, variantId: Uuid): Promise<Position> {
  const ofVariant = sql`r.project_id = ${project_id} and r.variant_id = ${variantId}`
  const { rows } = await sql<{ newest: number | null; head: Uuid | null }>`
    select (select max(r.version) from revisions r where ${ofVariant}) as newest,
      (select r.id from revisions r where ${ofVariant} ${HEAD_FIRST} limit 1) as head`.execute(db)
  const [{ newest, head } = { newest: null, head: null }] = rows
  return { headId: head ?? undefined, nextVersion: (newest ?? -1) + 1 }
}

/** The head of a variant: the revision that a reference to the variant finds. */
export async function headOf(scope: Scope, variantId: Uuid): Promise<RevisionRow | undefined> {
  const where = [sql`r.variant_id = ${variantId}`]
  const [head] = await selectRows(scope, 'revision', { where, tail: sql`${HEAD_FIRST} limit 1` })
  return head
}
