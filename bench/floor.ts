import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createChdbConnection } from 'chdb/connection'
import { measureBaseline } from './baseline.ts'
import type { Export } from './exports.ts'

const ROWS_PER_INSERT = 16_000
/** As the product inserts. */
const INSERT_SETTINGS = "exclude_materialize_skip_indexes_on_insert = 'by_words, by_trace_range, by_search_term_block'"

export interface Floor {
  floorRowsPerSecond: { RowBinary: number; JSONEachRow: number }
  /** See `measureBaseline`. */
  baselineSpansPerSecond: number
  diskBytesPerSpan: number
}

/**
 * The floor: the very rows that a run has stored, serialised beforehand and put into an empty table of the same shape
 * by the same engine, in batches of the same size, with no other load. Twice: in the format that the product
 * uses, and in JSONEachRow, which is what clients of ClickHouse send unless told otherwise. Also reads what a stored
 * span takes on disk, after a merge of all parts.
 */
export async function measureFloor(dataDir: string, exports: readonly Export[]): Promise<Floor> {
  const connection = createChdbConnection({ path: join(dataDir, 'clickhouse') })
  const folder = join(dataDir, 'floor')
  await mkdir(folder)
  const run = async (sql: string): Promise<string> =>
    Buffer.from((await connection.chdb.queryAsync(sql, { format: 'TSV' })).bytes()).toString()
  try {
    const rows = Number(await run('SELECT count() FROM spans'))
    const names = await run("SELECT name FROM system.columns WHERE table = 'spans' AND default_kind = ''")
    const columns = names.trim().split('\n').join(', ')
    const measure = async (format: string): Promise<number> => {
      const files = await writeFiles(format)
      await run('CREATE TABLE floor AS spans')
      const started = performance.now()
      for (const file of files)
        await run(`INSERT INTO floor (${columns}) FROM INFILE '${file}' SETTINGS ${INSERT_SETTINGS} FORMAT ${format}`)
      const seconds = (performance.now() - started) / 1000
      await run('DROP TABLE floor SYNC')
      return Math.round(rows / seconds)
    }
    const writeFiles = async (format: string): Promise<string[]> => {
      const files: string[] = []
      for (let at = 0; at < rows; at += ROWS_PER_INSERT) {
        const file = join(folder, `${at}.${format}`)
        const some = `SELECT ${columns} FROM spans LIMIT ${ROWS_PER_INSERT} OFFSET ${at}`
        await run(`${some} INTO OUTFILE '${file}' FORMAT ${format}`)
        files.push(file)
      }
      return files
    }
    const floorRowsPerSecond = { RowBinary: await measure('RowBinary'), JSONEachRow: await measure('JSONEachRow') }
    const baselineSpansPerSecond = await measureBaseline(run, folder, exports)
    await run('OPTIMIZE TABLE spans FINAL')
    const bytes = Number(await run("SELECT sum(bytes_on_disk) FROM system.parts WHERE table = 'spans' AND active"))
    return { floorRowsPerSecond, baselineSpansPerSecond, diskBytesPerSpan: Math.round((bytes / rows) * 10) / 10 }
  } finally {
    await connection.close()
    await rm(folder, { recursive: true })
  }
}
