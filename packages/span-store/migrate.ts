import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Engine } from './engine.ts'

/**
 * Brings ClickHouse's tables up to date from the numbered files in `folder`, in order. Each file holds one or more
 * statements ended by `;` at the end of a line, every one of which may be run again (`IF NOT EXISTS`), so several
 * processes can start at once and a run cut short is simply repeated. Returns the files run.
 */
export async function migrateSpans(engine: Engine, folder: string): Promise<string[]> {
  const files = (await readdir(folder)).filter(name => /^\d{3}_.*\.sql$/.test(name)).sort()
  for (const name of files) {
    const text = await readFile(join(folder, name), 'utf8')
    for (const statement of statementsOf(text)) await engine.command({ text: statement, params: {} })
  }
  return files
}

const statementsOf = (text: string): string[] =>
  text
    .split(/;\s*$/m)
    .map(statement => statement.trim())
    .filter(statement => statement.replace(/^\s*--.*$/gm, '').trim() !== '')
