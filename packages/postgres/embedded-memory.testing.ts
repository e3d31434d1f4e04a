import { readFileSync } from 'node:fs'
import { openPostgres, sql } from './index.ts'

/**
 * Opens the database in a folder, asks it many times, and prints the most memory that the process ever held, in MiB.
 */
const postgres = await openPostgres({ dataDir: process.argv[2] as string })
await postgres.migrate()
for (let run = 0; run < 1_000; run++)
  await sql`SELECT count(*) FROM users WHERE username = ${`user ${run}`}`.execute(postgres.db)
await postgres.close()
process.stdout.write(String(Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024))
