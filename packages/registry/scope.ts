import type { Trx } from '@spanhouse/postgres'
import type { Kind, Scope } from './kind.ts'

/** The same scope for another kind. */
export const asKind = (scope: Scope, kind: Kind): Scope => ({ ...scope, kind })

/** Runs work in a transaction: the scope's own if it has one. */
export function inTransaction<T, S extends Pick<Scope, 'db'>>(
  scope: S,
  work: (scope: S & { db: Trx }) => Promise<T>,
): Promise<T> {
  const { db } = scope
  if (db.isTransaction) return work({ ...scope, db: db as Trx })
  return db.transaction().execute(trx => work({ ...scope, db: trx }))
}
