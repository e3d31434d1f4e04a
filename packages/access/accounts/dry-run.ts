import type { Database, Trx } from '@spanhouse/postgres'

/** Does the work in a transaction; a dry run is a real one that is undone, and so fails where that would. */
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
