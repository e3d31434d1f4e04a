import { globSync } from 'node:fs'
import { postgresAvailable } from '@spanhouse/postgres/postgres-server.testing.ts'
import { natsAvailable } from '@spanhouse/span-stream/nats-server.testing.ts'
import { defineConfig } from 'vitest/config'
import { needsServer } from './test/sets/needs-server.ts'
import { networkedAvailable } from './test/sets/networked.ts'

// Native parts (LMDB) want a process of their own for each file.
const common = { pool: 'forks', testTimeout: 60_000, hookTimeout: 120_000 } as const

if (!networkedAvailable)
  console.warn(
    'SKIPPED: the tests over Postgres, NATS and ClickHouse; install the packages postgresql and nats-server.',
  )

/** The tests that speak only HTTP run twice: against one process, and against roles with their stores apart. */
const sets = ['embedded', ...(networkedAvailable || process.env.CI ? ['networked'] : [])]

/**
 * Over two shards run those that ask most of ClickHouse; all of them with `npm run test:cluster`. A cluster takes
 * Debian's programs, not containers.
 */
const ON_CLUSTER =
  process.env.CLUSTER_TESTS === 'all' ? ['*'] : ['trace-reads', 'trace-deletes', 'analytics', 'metrics', 'retention']
const clusterSet = natsAvailable && postgresAvailable ? ['cluster'] : []

const files = globSync(['packages/**/*.test.ts', 'test/**/*.test.ts'], {
  exclude: ['**/node_modules/**', 'test/http/**', 'packages/web/test/**'],
})

/**
 * Percentages of lines and branches, rounded down from what `unit` and `parts` reach, and two less where faults and
 * times decide which way is taken. The other packages run in servers, which the tests ask over HTTP and which are not measured.
 */
const FLOORS: Record<string, [lines: number, branches: number]> = {
  model: [99, 96],
  otlp: [94, 90],
  outbound: [93, 84],
  postgres: [91, 83],
  prices: [99, 92],
  query: [84, 78],
  runtime: [94, 86],
  'span-store': [84, 77],
  'span-stream': [94, 83],
  validation: [98, 91],
}

export default defineConfig({
  test: {
    coverage: {
      include: ['packages/**/*.ts'],
      exclude: [
        '**/*.test.ts',
        '**/*.testing.ts',
        // These run in worker threads and in programs of their own, which are not measured.
        'packages/postgres/embedded/thread.ts',
        'packages/runtime/schema/schema-{thread,check}.ts',
        'packages/otlp/throughput.ts',
      ],
      reporter: ['text-summary'],
      thresholds: Object.fromEntries(
        Object.entries(FLOORS).map(([name, [lines, branches]]) => [`packages/${name}/**`, { lines, branches }]),
      ),
    },
    projects: [
      // One process loads the modules once for all files: 43 s of processor time instead of 63.
      { test: { ...common, name: 'unit', include: files.filter(file => !needsServer(file)), isolate: false } },
      { test: { ...common, name: 'parts', include: files.filter(needsServer), globalSetup: ['test/sets/parts.ts'] } },
      {
        test: {
          ...common,
          name: 'web',
          include: ['packages/web/test/**/*.test.ts'],
          globalSetup: ['test/sets/pages.ts'],
          fileParallelism: false,
        },
      },
      ...[...sets, ...clusterSet].map(name => ({
        test: {
          ...common,
          name,
          include: (name === 'cluster' ? ON_CLUSTER : ['*']).map(file => `test/http/${file}.test.ts`),
          globalSetup: [`test/sets/${name}.ts`],
          // All files ask the same server, and some fill it to its limits.
          fileParallelism: false,
        },
      })),
    ],
  },
})
