import type { Uuid } from '@spanhouse/model'
import type { Database, Trx } from '@spanhouse/postgres'
import type { RuntimeSettings } from '@spanhouse/runtime'
import type { Kind } from './kinds.ts'

/** Where and for whom something is done: every statement takes its project from here. */
export interface Scope {
  db: Database | Trx
  project_id: Uuid
  /** Who it is done for; null where nobody is known. */
  user_id: Uuid | null
  kind: Kind
  /** What handler URIs and the addresses of hosted services are made of. */
  runtime: RuntimeSettings
  /** Whether guarded environments may be changed. */
  mayDeploy: boolean
}

/** The same place, seen as another kind of record. */
export const asKind = (scope: Scope, kind: Kind): Scope => ({ ...scope, kind })

/** Runs work in a transaction: the scope's own when it has one already. */
export function inTransaction<T, S extends Pick<Scope, 'db'>>(
  scope: S,
  work: (scope: S & { db: Trx }) => Promise<T>,
): Promise<T> {
  const { db } = scope
  if (db.isTransaction) return work({ ...scope, db: db as Trx })
  return db.transaction().execute(trx => work({ ...scope, db: trx }))
}
