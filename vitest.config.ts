import { globSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import { needsServer } from './test/sets/needs-server.ts'
import { networkedAvailable } from './test/sets/networked.ts'

// Native parts (LMDB) want a process of their own for each file.
const common = { pool: 'forks', testTimeout: 30_000, hookTimeout: 120_000 } as const

if (!networkedAvailable)
  console.warn(
    'SKIPPED: the tests over Postgres, NATS and ClickHouse; install the packages postgresql and nats-server.',
  )

/** The tests that speak only HTTP run twice: against one process, and against roles with their stores apart. */
const sets = ['embedded', ...(networkedAvailable || process.env.CI ? ['networked'] : [])]

const files = globSync(['packages/**/*.test.ts', 'test/**/*.test.ts'], {
  exclude: ['**/node_modules/**', 'test/http/**'],
})

export default defineConfig({
  test: {
    coverage: {
      include: ['packages/**/*.ts'],
      exclude: ['**/*.test.ts', '**/*.testing.ts'],
      reporter: ['text-summary'],
      // Packages whose code runs in the tests' own process. What servers run is not seen here, so a figure of it means nothing.
      thresholds: {
        'packages/{model,otlp,prices,validation}/**': { lines: 93, branches: 88 },
        'packages/runtime/**': { lines: 88, branches: 82 },
      },
    },
    projects: [
      // One process loads the modules once for all files: 43 s of processor time instead of 63.
      { test: { ...common, name: 'unit', include: files.filter(file => !needsServer(file)), isolate: false } },
      { test: { ...common, name: 'parts', include: files.filter(needsServer), globalSetup: ['test/sets/parts.ts'] } },
      ...sets.map(name => ({
        test: {
          ...common,
          name,
          include: ['test/http/*.test.ts'],
          globalSetup: [`test/sets/${name}.ts`],
          // All files ask the same server, and some fill it to its limits.
          fileParallelism: false,
        },
      })),
    ],
  },
})
