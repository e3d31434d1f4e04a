import { compileFewSpansByIds, compileSizeByIds, compileSpansByIds, printSql, type SpanIds } from '@spanhouse/query'
import type { Engine } from '../engine/engine.ts'
import { isResultTooLarge } from '../engine/failures.ts'
import type { Holder } from '../engine/holder.ts'
import { firstOfShards, readEachShard } from './each-shard.ts'
import { readOneTrace } from './one-trace.ts'
import { SPAN_COLUMNS } from './row.ts'
import { readSpans, type StoredSpan } from './stored-span.ts'

/**
 * Spans by their ids, in the order of their start, of a cluster from all shards at once. Results that exceed what the
 * engine may return of few spans are measured first, and `holder` reserves all of their bytes before the first is read:
 * it refuses within the time of that measurement, and not when most of the result has been read in vain.
 */
export function readSpansByIds(engine: Engine, ids: SpanIds, holder: Holder): Promise<StoredSpan[]> {
  const [trace_id, ...others] = ids.trace_ids ?? []
  const read = async (from: Engine): Promise<StoredSpan[]> => {
    const shards = await readEachShard(from, shard => readFrom(shard, ids, holder))
    return firstOfShards(shards, { compare: byStart, limit: Number.POSITIVE_INFINITY })
  }
  return trace_id !== undefined && others.length === 0 ? readOneTrace(engine, trace_id, read) : read(engine)
}

const byStart = (one: StoredSpan, other: StoredSpan): number =>
  one.start_time - other.start_time ||
  compareTexts(one.trace_id, other.trace_id) ||
  compareTexts(one.span_id, other.span_id)

const compareTexts = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0)

async function readFrom(engine: Engine, ids: SpanIds, holder: Holder): Promise<StoredSpan[]> {
  const read = { ...ids, columns: SPAN_COLUMNS }
  try {
    return await readSpans(engine, compileFewSpansByIds(read), holder)
  } catch (error) {
    if (!isResultTooLarge(error)) throw error
  }
  const reservation = new Reservation(holder, await measure(engine, ids))
  const spans = await readSpans(engine, compileSpansByIds(read), reservation)
  reservation.releaseRest()
  return spans
}

/** The bytes of a row apart from its texts: ids, times, amounts, and the lengths of texts. */
const ROW_BYTES = 300

/** About as many bytes as the result has. */
async function measure(engine: Engine, ids: SpanIds): Promise<number> {
  const [size] = await engine.rows<{ bytes: number; spans: number }>(printSql(compileSizeByIds(ids)))
  return size ? size.bytes + size.spans * ROW_BYTES : 0
}

/** Bytes reserved before they arrive. What exceeds them is reserved as it arrives. */
class Reservation implements Holder {
  readonly #holder: Holder
  #rest: number

  constructor(holder: Holder, bytes: number) {
    holder.hold(bytes)
    this.#holder = holder
    this.#rest = bytes
  }

  hold(bytes: number): void {
    if (bytes > this.#rest) this.#holder.hold(bytes - this.#rest)
    this.#rest = Math.max(0, this.#rest - bytes)
  }

  release(bytes: number): void {
    this.#holder.release(bytes)
  }

  releaseRest(): void {
    this.#holder.release(this.#rest)
    this.#rest = 0
  }
}
