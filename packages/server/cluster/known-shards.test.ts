import type { Database, Postgres } from '@spanhouse/postgres'
import { onEachDatabase } from '@spanhouse/postgres/database.testing.ts'
import type { Engine } from '@spanhouse/span-store'
import pino from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { knownShards, LAYOUT_KNOWN_MS } from './known-shards.ts'
import { addRecord, changeLayout, createLayout } from './layout.ts'

const log = pino({ level: 'silent' })
/** Nothing is asked of them. */
const [one, two] = [{}, {}] as [Engine, Engine]

onEachDatabase('the shards that lists are read from', (postgres: () => Postgres) => {
  let db: Database
  const create = (shards: number): Promise<void> =>
    changeLayout(db, trx => createLayout(trx, { shards, partitions: 4, hasTraces: false }))
  const add = (shard: number): Promise<unknown> => changeLayout(db, trx => addRecord(trx, shard))

  beforeEach(async () => {
    ;({ db } = postgres())
    await db.deleteFrom('cluster_routes').execute()
    await db.deleteFrom('cluster_shards').execute()
    vi.useFakeTimers({ toFake: ['performance'] })
  })
  afterEach(() => void vi.useRealTimers())

  test('are those that were recorded, at latest when a new one may get its first traces', async () => {
    const { shards } = knownShards(db, [one, two], log)
    expect(await shards()).toBeUndefined()
    await create(1)
    vi.advanceTimersByTime(LAYOUT_KNOWN_MS)
    expect(await shards()).toEqual([one])
    await add(2)
    vi.advanceTimersByTime(LAYOUT_KNOWN_MS - 1)
    expect(await shards()).toHaveLength(1)
    vi.advanceTimersByTime(1)
    expect(await shards()).toHaveLength(2)
  })

  test('are not known if the cluster has more than are listed, if one has replicas, or without the database', async () => {
    await create(2)
    expect(await knownShards(db, [one, two], log).shards()).toHaveLength(2)
    expect(await knownShards(db, [one], log).shards()).toBeUndefined()
    expect(await knownShards(db, [one, undefined], log).shards()).toBeUndefined()
    const refuse = () => {
      throw new Error('away')
    }
    const failing = { selectFrom: refuse } as unknown as Database
    expect(await knownShards(failing, [one, two], log).shards()).toBeUndefined()
  })
})
