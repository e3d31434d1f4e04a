import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['packages/**/*.test.ts', 'test/**/*.test.ts'],
    // Native parts (the embedded ClickHouse engine, LMDB) want a process of their own for each file.
    pool: 'forks',
    testTimeout: 30_000,
    hookTimeout: 120_000,
  },
})
