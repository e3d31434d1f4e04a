import type { Engine } from '../engine/engine.ts'

/**
 * A run is one writer's time with some of the stream's partitions. Leases see to it that a partition has one writer, but a
 * process that is stopped for a while (by a debugger, a hypervisor, a full memory) wakes up with statements half sent,
 * not knowing that its lease is gone. So ClickHouse itself refuses what a run sends that another one has fenced: rows
 * carry their run and a constraint looks at it, and UPDATE and DELETE ask when they begin.
 *
 * Whoever begins a run notes it first and then fences all other runs of its partitions. Of any two, the one that notes
 * itself later sees the other: at most one can write. It then ends the statements of those runs that were let in before.
 * Two that begin at the same time may fence each other; a run that finds itself fenced ends, and another is begun.
 */
export async function beginRun(engine: Engine, partitions: readonly number[]): Promise<void> {
  const own = { run: engine.run ?? 0, partitions }
  await engine.command({ text: NOTE, params: own })
  const others = await engine.rows<{ run: number }>({ text: OTHERS, params: own })
  const runs = others.map(({ run }) => run)
  if (runs.length > 0) await engine.command({ text: FENCE, params: { runs } })
  await engine.endWrites(runs)
}

const NOTE = `
INSERT INTO writer_runs (stream_partition, run) SELECT arrayJoin({partitions:Array(UInt16)}), {run:UInt64}`

const OTHERS = `
SELECT DISTINCT run FROM writer_runs
WHERE stream_partition IN (SELECT arrayJoin({partitions:Array(UInt16)})) AND run != {run:UInt64}
  AND joinGet('fenced_runs', 'is_fenced', run) = 0`

const FENCE = 'INSERT INTO fenced_runs SELECT arrayJoin({runs:Array(UInt64)}), 1'

/** A condition of a statement, which fails when its run is fenced. The parameter `run` goes with it. */
export const NOT_FENCED = `(SELECT throwIf(joinGet('fenced_runs', 'is_fenced', {run:UInt64}) = 1)) = 0`

/** ClickHouse's codes for a violated constraint and for `throwIf`. Nothing else of ours makes either. */
const FENCED = new Set(['469', '395'])

/** Whether a write was refused because another writer has its partitions now. */
export const isFenced = (error: unknown): boolean => FENCED.has((error as NodeJS.ErrnoException).code ?? '')
