import { closeSync, openSync } from 'node:fs'
import { openPostgres, sql } from './index.ts'

/** Run with the folder of a database: adds files to a table while the process has no file descriptor left. */
const postgres = await openPostgres({ dataDir: process.argv[2] as string })
const fill = sql`insert into filled select repeat('x', 500) from generate_series(1, 1000)`
await sql`create table filled (text text)`.execute(postgres.db)
await fill.execute(postgres.db)
const taken: number[] = []
try {
  for (;;) taken.push(openSync('/dev/null', 'r'))
} catch {}
// Vacuum makes the table's visibility map.
await sql`vacuum filled`.execute(postgres.db).catch(() => undefined)
for (const descriptor of taken) closeSync(descriptor)
await fill.execute(postgres.db)
await sql`vacuum filled`.execute(postgres.db)
await postgres.close()
