import { catchUp } from '../engine/catch-up.ts'
import type { Engine } from '../engine/engine.ts'

/**
 * A run is the time during which one writer owns some of the stream's partitions. Leases give each partition one
 * writer, but a process that is paused (by a debugger, a hypervisor, memory pressure) resumes with half-sent
 * statements, unaware that its lease has expired. So ClickHouse itself rejects the statements of a run that another run
 * has fenced: rows carry their run and a constraint checks it, and UPDATE and DELETE check it when they start.
 *
 * A new run first records itself and then fences all other runs of its partitions. Of any two, the one recorded later
 * sees the other, so at most one can write. It then ends the statements of those runs that had already been admitted.
 * Two runs that start at the same time may fence each other; a run that finds itself fenced ends, and a new one starts.
 *
 * Of the servers of a shard, a run uses one. It fences the others on all that respond, and begins when its own has what
 * was stored through any of them.
 */
export async function beginRun(engine: Engine, partitions: readonly number[]): Promise<void> {
  const own = { run: engine.run ?? 0, partitions }
  await engine.command({ text: NOTE, params: own })
  await catchUp(engine, { tables: ['writer_runs'] })
  const others = await engine.rows<{ run: number }>({ text: OTHERS, params: own })
  const runs = others.map(({ run }) => run)
  if (runs.length > 0) await engine.command({ text: FENCE, params: { runs }, servers: 'responding' })
  await engine.endWrites(runs)
  await catchUp(engine, { tables: WRITTEN_TABLES })
}

/**
 * Keeps what is known of the engine's run, which would be forgotten a month after it began: no other run would fence it
 * then, and it would end at the next failed statement. Must be called more often than that. What the server has lost
 * stays lost, see {@link requireRun}.
 */
export const renewRun = (engine: Engine): Promise<void> =>
  engine.command({ text: RENEW, params: { run: engine.run ?? 0 } })

/** The tables of which a writer must know all rows. */
export const WRITTEN_TABLES: readonly string[] = ['spans', 'deleted_traces']

const NOTE = `
INSERT INTO writer_runs (stream_partition, run) SELECT arrayJoin({partitions:Array(UInt16)}), {run:UInt64}`

const RENEW = `
INSERT INTO writer_runs (stream_partition, run)
SELECT DISTINCT stream_partition, run FROM writer_runs WHERE run = {run:UInt64}`

const OTHERS = `
SELECT DISTINCT run FROM writer_runs
WHERE stream_partition IN (SELECT arrayJoin({partitions:Array(UInt16)})) AND run != {run:UInt64}
  AND joinGet('fenced_runs', 'is_fenced', run) = 0`

const FENCE = 'INSERT INTO fenced_runs SELECT arrayJoin({runs:Array(UInt64)}), 1'

/** A condition for a statement that fails if its run is fenced. It needs the parameter `run`. */
export const NOT_FENCED = `(SELECT throwIf(joinGet('fenced_runs', 'is_fenced', {run:UInt64}) = 1)) = 0`

/** The server no longer has what this run has written: its data is older, or of another server. */
class RunLost extends Error {}

/**
 * Checks that the server still knows the engine's run, after statements failed: it may have come back with older data.
 * Throws an error that {@link isFenced} recognises, since what the writer knows of its traces is then wrong.
 */
export async function requireRun(engine: Engine): Promise<void> {
  if (!engine.run) return
  const rows = await engine.rows({
    text: 'SELECT 1 FROM writer_runs WHERE run = {run:UInt64} LIMIT 1',
    params: { run: engine.run },
  })
  if (rows.length === 0) throw new RunLost('ClickHouse no longer knows this writer: its data is older than before')
}

/** ClickHouse's codes for a violated constraint and for `throwIf`. No other statement of ours causes either. */
const FENCED = new Set(['469', '395'])

/** Whether a writer must end: another one owns its partitions now, or the server has lost what it has written. */
export const isFenced = (error: unknown): boolean =>
  error instanceof RunLost || FENCED.has((error as NodeJS.ErrnoException).code ?? '')
