import type { Uuid } from '@spanhouse/model'
import type { QueueRow } from '../entities/rows.ts'

/** Buckets that scenarios are dealt into where a queue says nothing else. */
const BUCKETS = 120

/** How a queue's scenarios are dealt into buckets. */
export interface Dealing {
  buckets: number
  /** Undefined: by the scenario's id; otherwise by its position, counted from here. */
  offset?: number
}

/** Buckets from the first up to, but without, the last. */
export type Block = readonly [from: number, to: number]

/** How the queue deals: by position in `batch_size` buckets when it is sequential. */
export function dealingOf({ flags, data }: Pick<QueueRow, 'flags' | 'data'>): Dealing {
  if (!flags.is_sequential) return { buckets: BUCKETS }
  return { buckets: data.batch_size ?? BUCKETS, offset: data.batch_offset ?? 0 }
}

/**
 * The buckets that belong to users in a lane: the buckets are split into one contiguous block for each of its
 * assignees, the first ones larger by one where they do not divide evenly. Who is named twice has two blocks.
 */
export function blocksOf(lane: readonly Uuid[], users: ReadonlySet<Uuid>, buckets: number): Block[] {
  const [size, larger] = [Math.floor(buckets / lane.length), buckets % lane.length]
  const start = (position: number): number => position * size + Math.min(position, larger)
  return lane.flatMap((user, position): Block[] =>
    users.has(user) && start(position) < start(position + 1) ? [[start(position), start(position + 1)]] : [],
  )
}

/**
 * The blocks of each lane that are assigned to the users. Undefined: all blocks, because the queue has no assignees or
 * no users are given.
 */
export function lanesOf(
  { flags, data }: Pick<QueueRow, 'flags' | 'data'>,
  users: readonly Uuid[] | undefined,
): Block[][] | undefined {
  const { user_ids = [] } = data
  if (user_ids.length === 0 || !users || users.length === 0) return undefined
  const asked = new Set(users)
  const { buckets } = dealingOf({ flags, data })
  return user_ids.map(lane => blocksOf(lane, asked, buckets))
}

/** A function of buckets: each of `values` holds from the bucket in `from` up to the next one there, which ascend. */
export interface BucketFunction {
  from: number[]
  values: number[]
}

/** What {@link firstLanes} says of a bucket that is in no lane. */
export const NO_LANE = -1

/** The first lane with a block that a bucket is in. */
export function firstLanes(lanes: readonly (readonly Block[])[]): BucketFunction {
  const from = [...new Set([0, ...lanes.flat(2)])].toSorted((one, other) => one - other)
  const place = new Map(from.map((bucket, at) => [bucket, at]))
  const values = from.map(() => NO_LANE)
  for (const [lane, blocks] of lanes.entries())
    for (const [first, last] of blocks)
      for (let at = place.get(first) as number; at < (place.get(last) as number); at++)
        if (values[at] === NO_LANE) values[at] = lane
  return { from, values }
}
