import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { MERGED_INDEXES } from '@spanhouse/span-store'
import { createChdbConnection } from 'chdb/connection'
import { measureBaseline } from './baseline.ts'
import type { Export } from './exports.ts'
import { type Measured, measured } from './measured.ts'

const ROWS_PER_INSERT = 16_000
/** As the product inserts. */
const INSERT_SETTINGS = `exclude_materialize_skip_indexes_on_insert = '${MERGED_INDEXES}'`

export interface Floor {
  /** The rows of the store, by format. */
  floor: { RowBinary: Measured; JSONEachRow: Measured }
  /** See `measureBaseline`. */
  baseline: Measured
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
    // Other work of the engine would count as that of the rows.
    await run('SYSTEM STOP MERGES spans')
    const measure = async (format: string): Promise<Measured> => {
      const files = await writeFiles(format)
      await run('CREATE TABLE floor AS spans')
      const result = await measured(async () => {
        for (const file of files)
          await run(`INSERT INTO floor (${columns}) FROM INFILE '${file}' SETTINGS ${INSERT_SETTINGS} FORMAT ${format}`)
        return rows
      })
      await run('DROP TABLE floor SYNC')
      return result
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
    const floor = { RowBinary: await measure('RowBinary'), JSONEachRow: await measure('JSONEachRow') }
    const baseline = await measureBaseline(run, folder, exports)
    await run('SYSTEM START MERGES spans')
    await run('OPTIMIZE TABLE spans FINAL')
    const bytes = Number(await run("SELECT sum(bytes_on_disk) FROM system.parts WHERE table = 'spans' AND active"))
    return { floor, baseline, diskBytesPerSpan: Math.round((bytes / rows) * 10) / 10 }
  } finally {
    await connection.close()
    await rm(folder, { recursive: true })
  }
}
