/**
 * `TESTS=sample`, as CI sets it, leaves out what this file names. Without it every test runs, except that a cluster is
 * asked a sample unless `TESTS=all`.
 */
export const isSample = process.env.TESTS === 'sample'

/**
 * HTTP tests that run against one set in a sample. The other files of `test/http` run against both: what they ask for
 * goes from one process to another (spans from the receiver to the writer, runs to the services, cells to the workers),
 * which is a call within the embedded process and a message or a row between the networked ones.
 *
 * The embedded set alone answers from the request itself, by ClickHouse's SQL, which is the same text in both, or under
 * a load that one process bears as the other does.
 */
const EMBEDDED_ONLY = [
  'access-fuzz',
  'analytics',
  'budgets-in',
  'budgets-out',
  'canonical',
  'catalogue',
  'comparison-oracle',
  'cors',
  'evaluation-cases',
  'evaluation-comparison',
  'evaluations-load',
  'evaluator-templates',
  'exporters-document',
  'filter-attributes',
  'filter-columns',
  'filter-lists',
  'filter-properties',
  'from-catalogue',
  'fuzz',
  'hostile-attributes',
  'linear',
  'list-oracle',
  'malformed-queries',
  'metrics',
  'numbers',
  'openapi',
  'registry-fuzz',
  'registry-load',
  'routing',
  'rows',
  'runaway-runs',
  'saved-queries',
  'sessions',
  'shares',
  'simple-traces',
  'span-reads',
  'trace-writes',
  'tracing-deprecated',
  'windowing',
]

/**
 * The networked set alone reads and writes rows of one database through one process. That both databases answer alike
 * is what the files that run against both, and the suites of the packages (`onEachDatabase`), show.
 */
const NETWORKED_ONLY = [
  'accounts',
  'admin',
  'audit',
  'authentication',
  'embeds',
  'evaluation-people',
  'evaluations',
  'evaluations-simple',
  'folders',
  'keys',
  'legacy-configs',
  'organizations',
  'paging',
  'permissions',
  'profile',
  'projects',
  'registry-environments',
  'registry-kinds',
  'registry-model',
  'registry-queries',
  'registry-workflows',
  'secrets',
  'testset-files',
  'testsets',
]

/** Of the HTTP tests over two shards, those that ask most of ClickHouse. */
const ON_CLUSTER = ['trace-reads', 'trace-deletes', 'analytics', 'metrics', 'retention']

/** Files that take minutes. Each comment names what still tests the same mechanism in a sample. */
const LONG_FILES = [
  // The recordings of the same packages: test/clients/clients.test.ts. Both change only with docs and a lock file.
  'test/clients/snippets.test.ts',
  // ClickHouse that dies: evaluations.test.ts kills it under a run.
  'test/faults/clickhouse.test.ts',
  // Shards that are added: packages/span-store/write/write.test.ts and packages/span-store/cluster.
  'test/faults/cluster.test.ts',
  // Kills under load: chaos/chaos.test.ts, which also stops the process and sends everything several times.
  'test/faults/crash.test.ts',
  // Unreadable dead letters over HTTP: packages/span-stream/jetstream/damaged-letters.test.ts.
  'test/faults/damaged-letters.test.ts',
  // Stores that are away for a minute: evaluations.test.ts kills them.
  'test/faults/evaluation-outages.test.ts',
  // A stream that grows under load: divisions.test.ts and elsewhere.test.ts of packages/server.
  'test/faults/growth.test.ts',
  // A flood beside a neighbour: test/http/shares.test.ts.
  'test/faults/neighbour.test.ts',
  // A live run under kills: test/http/evaluation-online.test.ts, and the kills of evaluations.test.ts.
  'test/faults/online.test.ts',
]

/** The HTTP test files of a set. */
export function httpTests(set: string): { include: string[]; exclude: string[] } {
  if (set === 'cluster') return { include: (process.env.TESTS === 'all' ? ['*'] : ON_CLUSTER).map(pathOf), exclude: [] }
  const once = set === 'embedded' ? NETWORKED_ONLY : EMBEDDED_ONLY
  return { include: [pathOf('*')], exclude: isSample ? once.map(pathOf) : [] }
}

const pathOf = (name: string): string => `test/http/${name}.test.ts`

/** The other test files that run, of those given. */
export const withoutLong = (files: string[]): string[] =>
  isSample ? files.filter(file => !LONG_FILES.includes(file)) : files

/** Rows of a table of tests: all, or the first of each kind in a sample. */
export function firstOfEach<T>(rows: readonly T[], kindOf: (row: T) => string): readonly T[] {
  if (!isSample) return rows
  return rows.filter((row, index) => rows.findIndex(other => kindOf(other) === kindOf(row)) === index)
}

/** Runs of a property that asks a server, each with its own random input: all, or a quarter in a sample. */
export const sampledRuns = (count: number): number => (isSample ? Math.ceil(count / 4) : count)

/**
 * Whether to ask a combination of values from several lists, given by their places there: all, or every other one in a
 * sample. With three lists or more, each two values of different lists are still asked together.
 */
export const everyOther = (...places: number[]): boolean =>
  !isSample || places.reduce((sum, place) => sum + place, 0) % 2 === 0
