import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { eventually } from '../harness.ts'
import { networkedAvailable } from '../sets/networked.ts'
import { Asked } from './chaos/asked.ts'
import { startNetworked, type Victims } from './chaos/victims.ts'

/** How long a store is away. */
const AWAY_MS = 60_000
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

const away = async (name: string): Promise<void> => {
  await killable(name).kill()
  await delay(AWAY_MS)
  await killable(name).restart()
}

/** Its scenarios are taken over meanwhile, and it continues with them when it wakes up. */
async function suspend(name: string): Promise<void> {
  victims.server(name).pause()
  await delay(SUSPENDED_MS)
  victims.server(name).resume()
}

test.runIf(networkedAvailable).each([
  ['ClickHouse is away for a minute', () => away('clickhouse')],
  ['Postgres is away for a minute', () => away('postgres')],
  ['a worker is suspended for longer than its lease', () => suspend('worker-1')],
] as const)(
  '%s in the middle of a run: every cell and every trace once',
  async (_, harm) => {
    const asked = new Asked(victims)
    const run = await asked.start(SCENARIOS, CALL_SECONDS)
    await eventually(async () => (await asked.cells(run.id)) > SCENARIOS * 1.2, SETTLE_MS)
    expect(await asked.isOver(run.id)).toBe(false)
    await harm()
    await eventually(() => asked.isOver(run.id), SETTLE_MS)
    expect((await asked.run(run.id)).status).toBe('success')
    expect((await asked.count(run, SCENARIOS)).faults).toEqual([])
  },
  600_000,
)
