import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../harness.ts'
import { networkedAvailable } from '../sets/networked.ts'
import { Asked, BATCH_SIZE } from './chaos/asked.ts'
import { startNetworked, type Victims } from './chaos/victims.ts'

/** How long a store is away: longer than a lease, or than a request waits for it. */
const AWAY_MS = 60_000
const SHORTLY_AWAY_MS = 10_000
/** Longer than the lease of a worker. */
const SUSPENDED_MS = 25_000
const SETTLE_MS = 240_000
const SCENARIOS = 200
/** With 40 calls at a time the run takes ten seconds without faults. */
const CALL_SECONDS = 2

let victims: Victims
beforeAll(async () => {
  if (networkedAvailable) victims = await startNetworked(1, 2)
})
afterAll(() => victims?.stop())

const killable = (name: string) => victims.killable.find(one => one.name === name) as Victims['killable'][number]

const away = async (name: string, ms = AWAY_MS): Promise<void> => {
  await killable(name).kill()
  await delay(ms)
  await killable(name).restart()
}

/** It does not answer, but its connections stay open. */
async function silent(name: string): Promise<void> {
  const store = victims.all.find(one => one.name === name) as Victims['all'][number]
  store.pause()
  await delay(SHORTLY_AWAY_MS)
  store.resume()
}

/** Its scenarios are taken over meanwhile, and it continues with them when it wakes up. */
async function suspend(name: string): Promise<void> {
  victims.server(name).pause()
  await delay(SUSPENDED_MS)
  victims.server(name).resume()
}

/** How many cells there are: those of all sources from the beginning, and then each scenario has two more. */
const MIDDLE = SCENARIOS * 1.2
/** The calls at that time are the last ones; while they wait for a store, so do the metrics. */
const LAST_CALLS = 3 * SCENARIOS - 2 * BATCH_SIZE

test.runIf(networkedAvailable).each([
  ['ClickHouse is away for a minute in the middle', MIDDLE, () => away('clickhouse')],
  ['ClickHouse is silent at the end', LAST_CALLS, () => silent('clickhouse')],
  ['Postgres is away for a minute in the middle', MIDDLE, () => away('postgres')],
  ['NATS is away in the middle', MIDDLE, () => away('nats', SHORTLY_AWAY_MS)],
  ['NATS is silent in the middle', MIDDLE, () => silent('nats')],
  ['NATS is away at the end', LAST_CALLS, () => away('nats', SHORTLY_AWAY_MS)],
  ['NATS is silent at the end', LAST_CALLS, () => silent('nats')],
  ['a worker is suspended for longer than its lease in the middle', MIDDLE, () => suspend('worker-1')],
] as const)(
  '%s of a run: every cell and every trace once',
  async (_, cells, harm) => {
    const asked = new Asked(victims)
    const run = await asked.start(SCENARIOS, CALL_SECONDS)
    await eventually(async () => (await asked.cells(run.id)) >= cells, SETTLE_MS)
    expect(await asked.isOver(run.id)).toBe(false)
    await harm()
    await eventually(() => asked.isOver(run.id), SETTLE_MS)
    expect(await asked.run(run.id)).toMatchObject({ status: 'success', flags: { is_active: false } })
    expect((await asked.count(run, SCENARIOS)).faults).toEqual([])
  },
  600_000,
)
