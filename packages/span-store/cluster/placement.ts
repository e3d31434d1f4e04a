/**
 * Where the rows of a table or view are if the store has several shards. Each shard has all tables, made by the same
 * statements as on a single server, in the database of its address. Beside it is the database of the cluster, which
 * shows the rows of all shards under the same names, so that the same statement reads one server or a cluster.
 *
 * - `spread`: each shard has rows of its own, and those of a trace are on one shard. The cluster's table is Distributed
 *   over those of the shards; so is one over a view, since every shard then computes its part of an answer.
 * - `everywhere`: the same rows on each shard, so that they can be joined with the traces there. The cluster's table is
 *   a view of the newest versions of the server's own, which has an engine that replaces rows.
 * - `joined`: a view that joins rows of other shards. The cluster's view is made by the same statement, over its tables.
 * - `own`: what a shard knows of itself. The cluster has no such table.
 */
export type Placement = 'spread' | 'everywhere' | 'joined' | 'own'

/** One row for each table and view that the migrations create. */
export const PLACEMENTS: Readonly<Record<string, Placement>> = {
  spans: 'spread',
  deleted_traces: 'spread',
  v1_spans: 'spread',
  v1_traces: 'spread',
  evaluation_cells: 'everywhere',
  evaluation_runs: 'everywhere',
  v1_evaluation_results: 'joined',
  evaluation_feed: 'spread',
  project_retention: 'own',
  writer_runs: 'own',
  fenced_runs: 'own',
}

const CREATED = /^CREATE (?:OR REPLACE )?(?:TABLE|VIEW) (?:IF NOT EXISTS )?(\w+)/m

/** The table or view that a statement creates; undefined: it does something else. */
export const createdBy = (statement: string): string | undefined => CREATED.exec(statement)?.[1]
