import { openPostgres } from './postgres.ts'
import { newId } from './uuid-v7.ts'

/**
 * Commits one user after another and prints the name of each once it is committed, until it is killed. Arguments: the
 * folder, and the template of its cluster if it is not the usual one.
 */
const [dataDir, template] = process.argv.slice(2)
const postgres = await openPostgres({ dataDir: dataDir as string, template })
await postgres.migrate()
for (;;) {
  const id = newId()
  await postgres.db
    .insertInto('users')
    .values({ id, uid: id, email: `${id}@x.test`, username: id })
    .execute()
  process.stdout.write(`${id}\n`)
}
