import { postgresAvailable } from '@spanhouse/postgres/postgres-server.testing.ts'
import { natsAvailable } from '@spanhouse/span-stream/nats-server.testing.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { eventually } from '../harness.ts'
import { faultsIn, Load } from './chaos/load.ts'
import { seeded } from './chaos/random.ts'
import { startNetworked, type Victim, type Victims } from './chaos/victims.ts'

const PARTITIONS = 8

describe.skipIf(!natsAvailable || !postgresAvailable)('several writers', () => {
  let victims: Victims
  beforeAll(async () => {
    victims = await startNetworked(2)
  })
  afterAll(() => victims?.stop())

  const victim = (name: string): Victim => victims.all.find(one => one.name === name) as Victim
  const held = (writer: string): Promise<number> => victims.server(writer).metric('spanhouse_writer_partitions')
  const holds = (writer: string, count: number, ms: number): Promise<unknown> =>
    eventually(async () => (await held(writer)) === count, ms)

  test('share the partitions, take over from one that dies or is stopped, and what wakes up late writes nothing twice', async () => {
    const ending = new AbortController()
    const load = new Load(victims.target, seeded(11))
    const loading = load.run(ending.signal)
    await Promise.all([holds('writer-1', PARTITIONS / 2, 15_000), holds('writer-2', PARTITIONS / 2, 15_000)])

    await victim('writer-1').kill()
    await holds('writer-2', PARTITIONS, 6_000)
    await victim('writer-1').restart()
    await Promise.all([holds('writer-1', PARTITIONS / 2, 10_000), holds('writer-2', PARTITIONS / 2, 10_000)])

    victim('writer-2').pause()
    await holds('writer-1', PARTITIONS, 20_000)
    victim('writer-2').resume()
    await holds('writer-2', PARTITIONS / 2, 15_000)

    ending.abort()
    await loading
    expect(load.accepted.size).toBeGreaterThan(100)
    const faults = await eventually(async () => {
      const found = await faultsIn(load, victims.target)
      return found.length === 0 ? { found } : undefined
    }).catch(async () => ({ found: await faultsIn(load, victims.target) }))
    expect(faults.found).toEqual([])
  })
})
