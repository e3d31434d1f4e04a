import { hashOfTraceId, type TraceId } from '@spanhouse/model'
import type { Engine } from '../engine/engine.ts'

/**
 * 16 MiB of bits: with 10 million traces one new trace in 50 is mistaken for a known one, with a million one in 4,000.
 */
const POSITION_BITS = 27

/**
 * Rows per statement that computes positions, and the number of rows above which no set is built because reading them
 * would take minutes.
 */
const ROWS_PER_STATEMENT = 16_000_000
const ROWS_MAX = 500_000_000

/**
 * Which traces may be stored: a Bloom filter with two positions per trace, one from a hash of its id (not every sender
 * generates random ids) and one from the id itself. It has no false negatives, so the writer need not look up the
 * traces that are not in it, which are nearly all: a look-up of a thousand ids reads a column of the whole table.
 */
export class KnownTraces {
  readonly #words = new Int32Array(2 ** (POSITION_BITS - 5))

  /** The traces that are stored now and those that were deleted; null if the table is too large. */
  static async load(engine: Engine): Promise<KnownTraces | null> {
    const [{ count } = { count: 0 }] = await engine.rows<{ count: number }>({
      text: 'SELECT count() AS count FROM spans',
      params: {},
    })
    if (count > ROWS_MAX) return null
    const known = new KnownTraces()
    const slices = Math.max(1, Math.ceil(count / ROWS_PER_STATEMENT))
    for (let slice = 0; slice < slices; slice++) {
      const rows = await engine.rows<{ positions: number[] }>({ text: POSITIONS, params: { slice, slices } })
      for (const { positions } of rows) for (const position of positions) known.#set(position)
    }
    return known
  }

  add(trace_id: TraceId): void {
    for (const position of positionsOf(trace_id)) this.#set(position)
  }

  has(trace_id: TraceId): boolean {
    return positionsOf(trace_id).every(at => ((this.#words[at >>> 5] as number) & (1 << (at & 31))) !== 0)
  }

  #set(position: number): void {
    this.#words[position >>> 5] = (this.#words[position >>> 5] as number) | (1 << (position & 31))
  }
}

/** Like {@link positionsOf}. */
const POSITIONS = `
SELECT bitmapToArray(groupBitmapState(position)) AS positions
FROM
(
  SELECT arrayJoin([
    bitShiftRight(murmurHash3_32(trace_id), ${32 - POSITION_BITS}),
    bitShiftRight(reinterpretAsUInt32(substring(trace_id, 13, 4)), ${32 - POSITION_BITS})
  ]) AS position
  FROM (SELECT trace_id FROM spans UNION ALL SELECT trace_id FROM deleted_traces)
)
WHERE position % {slices:UInt32} = {slice:UInt32}`

function positionsOf(trace_id: TraceId): [number, number] {
  const bytes = Buffer.from(trace_id, 'hex')
  return [hashOfTraceId(bytes) >>> (32 - POSITION_BITS), bytes.readUInt32LE(12) >>> (32 - POSITION_BITS)]
}
