import type { Database, Trx } from '@spanhouse/postgres'

/**
 * Runs the work in a transaction. A dry run does the same work and rolls it back, so it fails wherever the real run
 * would.
 */
export async function runOrTry<T>(db: Database, isDryRun: boolean, work: (trx: Trx) => Promise<T>): Promise<T> {
  if (!isDryRun) return db.transaction().execute(work)
  let tried: { result: T } | undefined
  const undo = new Error('dry run')
  const transaction = db.transaction().execute(async trx => {
    tried = { result: await work(trx) }
    throw undo
  })
  await transaction.catch(error => {
    if (error !== undo) throw error
  })
  return (tried as { result: T }).result
}
