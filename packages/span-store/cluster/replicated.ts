/**
 * A statement that creates a table, as the servers of a shard with several replicas run it: rows are replicated among
 * them. Tables in memory (`ENGINE = Join`) stay each server's own, see `Statement.servers`. A block like an earlier one
 * is stored again, as without replicas: the writer alone decides what is known. Servers need the macros `cluster`,
 * `shard` and `replica`.
 */
export function replicated(statement: string): string {
  if (!ENGINE.test(statement)) return statement
  const made = statement.replace(ENGINE, (_, before: string, engine: string, given = '') => {
    const parameters = ["'/clickhouse/{cluster}/{shard}/{database}/{table}'", "'{replica}'", ...(given ? [given] : [])]
    return `${before}Replicated${engine}(${parameters.join(', ')})`
  })
  const setting = 'replicated_deduplication_window = 0'
  return /^SETTINGS /m.test(made)
    ? made.replace(/^SETTINGS /m, `SETTINGS ${setting}, `)
    : `${made}\nSETTINGS ${setting}`
}

const ENGINE = /^(ENGINE = )(\w*MergeTree)\b(?:\((\w*)\))?/m
