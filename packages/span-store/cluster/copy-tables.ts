import type { Engine } from '../engine/engine.ts'
import { appliedVersions } from '../migrate.ts'

/** Tables that others name in their columns come first, views last. */
const TABLES = `
SELECT create_table_query AS text FROM system.tables
WHERE database = currentDatabase() AND NOT is_temporary
ORDER BY multiIf(engine = 'Join', 1, endsWith(engine, 'View'), 3, 2), name`

const LEDGER = `
INSERT INTO schema_migrations (version, name)
SELECT t.1, t.2 FROM (SELECT arrayJoin(arrayZip({versions:Array(UInt32)}, {names:Array(String)})) AS t)`

/**
 * Gives an empty server the tables that another replica of its shard has now: a replica cannot join a table in the form
 * that the first migration gave it. `fill` adds the rows that are not replicated and not a writer's. Nothing happens if
 * the server has tables already, or the other one has none. Can be repeated if it was cut short.
 */
export async function copyTables(from: Engine, to: Engine, fill: (server: Engine) => Promise<void>): Promise<void> {
  const applied = await appliedVersions(from)
  if (applied.length === 0 || (await appliedVersions(to)).length > 0) return
  for (const { text } of await from.rows<{ text: string }>({ text: TABLES, params: {} }))
    await to.command({ text: text.replace(/^CREATE (TABLE|VIEW)/, 'CREATE $1 IF NOT EXISTS'), params: {} })
  await fill(to)
  await to.command({
    text: LEDGER,
    params: { versions: applied.map(({ version }) => version), names: applied.map(({ name }) => name) },
  })
}
