import type { Database, Postgres } from '@spanhouse/postgres'
import { onEachDatabase } from '@spanhouse/postgres/database.testing.ts'
import type { SpanStream } from '@spanhouse/span-stream'
import { beforeEach, expect, test, vi } from 'vitest'
import { divisionStatus, growPartitions, openDivided, takeOver } from './divisions.ts'
import { createLayout, readLayout } from './layout.ts'

/** As much of a stream as numbers of partitions need. */
const streamOf = (partitions: number, used = 0): SpanStream =>
  ({ partitions, stats: async () => ({ bytes: used, bytesMax: 100 }) }) as unknown as SpanStream

const signal = new AbortController().signal

onEachDatabase('the numbers of partitions', (postgres: () => Postgres) => {
  let db: Database
  const grow = (wanted: number, used?: number): Promise<void> =>
    growPartitions({ db, stream: streamOf(2, used) }, wanted)
  const start = (partitions: readonly number[], division: number): Promise<boolean> =>
    takeOver(db, { partitions, division, signal })

  beforeEach(async () => {
    ;({ db } = postgres())
    await db.deleteFrom('stream_divisions').execute()
    await db.deleteFrom('stream_partitions').execute()
    await db.deleteFrom('cluster_routes').execute()
    await db.deleteFrom('cluster_shards').execute()
  })

  test('the first number is recorded, and later processes open the stream with all of them', async () => {
    const asked: unknown[] = []
    const open = async (divisions: readonly number[] | undefined): Promise<SpanStream> => {
      asked.push(divisions)
      return streamOf(divisions?.at(-1) ?? 2)
    }
    await openDivided(db, { streamPartitions: undefined }, open)
    await openDivided(db, { streamPartitions: 2 }, open)
    await start([0, 1], 2)
    await grow(4)
    await openDivided(db, { streamPartitions: 2 }, open)
    expect(asked).toEqual([undefined, [2], [2, 4]])
    await expect(openDivided(db, { streamPartitions: 8 }, open)).rejects.toThrow('is 8, but the stream has 4')
  })

  test('a stream that grew while it was opened is opened again', async () => {
    await openDivided(db, { streamPartitions: undefined }, async () => streamOf(2))
    await start([0, 1], 2)
    const opened = await openDivided(db, { streamPartitions: undefined }, async divisions => {
      if (divisions?.length === 2) return streamOf(4)
      await grow(4)
      throw new Error('unknown subjects')
    })
    expect(opened.partitions).toBe(4)
    const failing = openDivided(db, { streamPartitions: undefined }, () => Promise.reject(new Error('other subjects')))
    await expect(failing).rejects.toThrow('other subjects')
  })

  test('a stream whose number cannot be recorded is closed', async () => {
    const closed = vi.fn(async () => undefined)
    const unrecorded = db.withPlugin({
      transformQuery: ({ node }) => {
        if (node.kind === 'InsertQueryNode') throw new Error('Postgres is away')
        return node
      },
      transformResult: async ({ result }) => result,
    })
    const opening = openDivided(unrecorded, { streamPartitions: undefined }, async () => ({
      ...streamOf(2),
      close: closed,
    }))
    await expect(opening).rejects.toThrow('Postgres is away')
    expect(closed).toHaveBeenCalledOnce()
  })

  test('a stream grows to a multiple, once all partitions have a writer, unless it is more than half full', async () => {
    await expect(grow(4)).rejects.toMatchObject({ code: 'conflict', message: expect.stringContaining('in NATS') })
    await openDivided(db, { streamPartitions: undefined }, async () => streamOf(2))
    await start([0], 2)
    await expect(grow(4)).rejects.toThrow('Only 1 of 2 partitions')
    await start([1], 2)
    await expect(grow(3)).rejects.toThrow('a multiple')
    await expect(grow(4, 51)).rejects.toThrow('half full')
    await grow(4)
    expect(await divisionStatus(db)).toEqual({ partitions: 4, started: 0 })
  })

  test('new partitions have the shards of those that they are split from', async () => {
    await db.transaction().execute(trx => createLayout(trx, { shards: 2, partitions: 2, hasTraces: true }))
    await openDivided(db, { streamPartitions: undefined }, async () => streamOf(2))
    await start([0, 1], 2)
    const before = (await readLayout(db))?.routes
    await grow(6)
    const after = (await readLayout(db))?.routes
    expect(after?.size).toBe(6)
    for (const [partition, route] of after ?? []) expect(route).toEqual(before?.get(partition % 2))
  })

  test('a partition is taken over when the writers of all that had its traces divide by the number', async () => {
    await openDivided(db, { streamPartitions: undefined }, async () => streamOf(2))
    await start([0, 1], 2)
    await grow(4)
    await start([0, 1, 2, 3], 4)
    await grow(8)
    // Those of 7 were in 3 before, and in 1 at first.
    let isTaken = false
    const taking = start([7], 8).then(taken => {
      isTaken = taken
    })
    const between = start([3], 8)
    await expect.poll(() => divisionStatus(db)).toEqual({ partitions: 8, started: 2 })
    expect(isTaken).toBe(false)
    expect(await start([1], 8)).toBe(true)
    expect(await between).toBe(true)
    await taking
    expect(isTaken).toBe(true)
  })

  test('a run that began by an earlier number does not take over', async () => {
    await openDivided(db, { streamPartitions: undefined }, async () => streamOf(2))
    await start([0, 1], 2)
    await grow(4)
    expect(await start([0, 1], 2)).toBe(false)
    expect(await divisionStatus(db)).toEqual({ partitions: 4, started: 0 })
  })
})
