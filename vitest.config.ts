import { globSync } from 'node:fs'
import { postgresAvailable } from '@spanhouse/postgres/postgres-server.testing.ts'
import { natsAvailable } from '@spanhouse/span-stream/nats-server.testing.ts'
import { defineConfig } from 'vitest/config'
import { needsServer } from './test/sets/needs-server.ts'
import { networkedAvailable } from './test/sets/networked.ts'
import { httpTests, withoutLong } from './test/sets/sample.ts'

const common = {
  // Not threads: native parts (LMDB) are loaded into them.
  pool: 'forks' as const,
  // A process loads modules and the embedded database once for all its files: a second of processor time for each file.
  isolate: false,
  testTimeout: 300_000,
  hookTimeout: 300_000,
  // A second, the default, is too short for a page on a busy machine.
  expect: { poll: { timeout: 60_000 } },
}

if (!networkedAvailable)
  console.warn(
    'SKIPPED: the tests over Postgres, NATS and ClickHouse; install the packages postgresql and nats-server.',
  )

/** The tests that speak only HTTP run twice: against one process, and against roles with their stores apart. */
const sets = ['embedded', ...(networkedAvailable || process.env.CI ? ['networked'] : [])]

/** A cluster takes Debian's programs, not containers. */
const clusterSet = natsAvailable && postgresAvailable ? ['cluster'] : []

const files = withoutLong(
  globSync(['packages/**/*.test.ts', 'test/**/*.test.ts'], {
    exclude: ['**/node_modules/**', 'test/http/**', 'packages/web/test/**'],
  }),
)

/**
 * Percentages of lines and branches, rounded down from what `unit` and `parts` reach, and two less where faults and
 * times decide which way is taken. The other packages run in servers, which the tests ask over HTTP and which are not
 * measured.
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
  validation: [97, 89],
}

export default defineConfig({
  test: {
    globalSetup: ['test/sets/template.ts'],
    coverage: {
      include: Object.keys(FLOORS).map(name => `packages/${name}/**/*.ts`),
      exclude: [
        '**/*.test.ts',
        '**/*.testing.ts',
        // These run in worker threads and in programs of their own, which are not measured.
        'packages/postgres/build.ts',
        'packages/postgres/embedded/{cluster,template,thread}.ts',
        'packages/runtime/schema/schema-{thread,check}.ts',
        'packages/otlp/throughput.ts',
      ],
      reporter: ['text-summary'],
      thresholds: Object.fromEntries(
        Object.entries(FLOORS).map(([name, [lines, branches]]) => [`packages/${name}/**`, { lines, branches }]),
      ),
    },
    projects: [
      { test: { ...common, name: 'unit', include: files.filter(file => !needsServer(file)) } },
      {
        test: {
          ...common,
          name: 'parts',
          include: files.filter(needsServer),
          globalSetup: ['test/sets/parts.ts'],
        },
      },
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
          ...httpTests(name),
          globalSetup: [`test/sets/${name}.ts`],
          // All files ask the same server, and some fill it to its limits.
          fileParallelism: false,
        },
      })),
    ],
  },
})
