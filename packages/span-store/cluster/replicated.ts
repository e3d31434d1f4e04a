import { createdBy, PLACEMENTS } from './placement.ts'

/**
 * A statement of a migration as the servers of a shard with several replicas run it: rows are replicated among them,
 * except those of tables that are each server's own. A block like an earlier one is stored again, as without replicas:
 * the writer alone decides what is known.
 */
export function replicated(statement: string): string {
  const table = createdBy(statement)
  if (table === undefined || PLACEMENTS[table] === 'own' || !ENGINE.test(statement)) return statement
  const made = statement.replace(ENGINE, '$1Replicated$2')
  const setting = 'replicated_deduplication_window = 0'
  return /^SETTINGS /m.test(made)
    ? made.replace(/^SETTINGS /m, `SETTINGS ${setting}, `)
    : `${made}\nSETTINGS ${setting}`
}

const ENGINE = /^(ENGINE = )(\w*MergeTree)\b/m
