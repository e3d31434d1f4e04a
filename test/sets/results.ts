import { writeFileSync } from 'node:fs'
import type { Reporter, TestModule } from 'vitest/node'

/**
 * Writes a line for each test file to the file that the environment variable `RESULTS` names: its project, its path
 * from the root, and how many of its tests passed, failed and were skipped, between tabs. A file that fails outside of
 * its tests has one failure. Errors outside of any file are a line without a path.
 */
export default class Results implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], stray: readonly unknown[]): void {
    const rows = modules.map(rowOf)
    if (stray.length > 0) rows.push(['', '', 0, stray.length, 0])
    writeFileSync(process.env.RESULTS as string, rows.map(row => `${row.join('\t')}\n`).join(''))
  }
}

type Row = [project: string, path: string, passed: number, failed: number, skipped: number]

function rowOf(module: TestModule): Row {
  const count = (state: 'passed' | 'failed' | 'skipped'): number => [...module.children.allTests(state)].length
  const failed = Math.max(count('failed'), module.ok() ? 0 : 1)
  return [module.project.name, module.relativeModuleId, count('passed'), failed, count('skipped')]
}
