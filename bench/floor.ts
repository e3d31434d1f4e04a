import { join } from 'node:path'
import { createChdbConnection } from 'chdb/connection'

const ROWS_PER_INSERT = 16_000

/**
 * The floor: the very rows that a run has stored, serialised beforehand in the same format and put into an empty table
 * of the same shape by the same engine, in batches of the same size, with nothing else going on. Also reads what a
 * stored span takes on disk, after a merge of all parts.
 */
export async function measureFloor(dataDir: string): Promise<{ floorRowsPerSecond: number; diskBytesPerSpan: number }> {
  const connection = createChdbConnection({ path: join(dataDir, 'clickhouse') })
  const run = async (sql: string): Promise<Buffer> =>
    Buffer.from((await connection.chdb.queryAsync(sql, { format: 'TSV' })).bytes())
  try {
    const rows = Number((await run('SELECT count() FROM spans')).toString())
    const columns = (await run("SELECT name FROM system.columns WHERE table = 'spans' AND default_kind = ''"))
      .toString()
      .trim()
      .split('\n')
    const batches: Buffer[] = []
    for (let at = 0; at < rows; at += ROWS_PER_INSERT)
      batches.push(await run(`SELECT ${columns.join(', ')} FROM spans LIMIT ${ROWS_PER_INSERT} OFFSET ${at}`))
    await run('CREATE TABLE floor AS spans')
    const started = performance.now()
    for (const values of batches) await connection.chdb.rawInsert({ table: 'floor', columns, format: 'TSV', values })
    const seconds = (performance.now() - started) / 1000
    await run('DROP TABLE floor')
    await run('OPTIMIZE TABLE spans FINAL')
    const bytes = Number(
      (await run("SELECT sum(bytes_on_disk) FROM system.parts WHERE table = 'spans' AND active")).toString(),
    )
    return { floorRowsPerSecond: Math.round(rows / seconds), diskBytesPerSpan: Math.round((bytes / rows) * 10) / 10 }
  } finally {
    await connection.close()
  }
}
