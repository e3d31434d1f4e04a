import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { networkedAvailable, startStores } from '../../test/sets/networked.ts'
import { rounded } from '../measured.ts'
import { checkStored, Roles, WriterSet } from './writer-set.ts'

/** Descending, so that all have compiled their code before only one is left. */
const WRITERS = [4, 2, 1]
const WRITERS_MAX = Math.max(...WRITERS)
const RECEIVERS = 2

/**
 * How the rate of writing grows with the number of writers, each held to an eighth of the time so that they and not the
 * machine are what limits it; see README.md. Each number of writers gets as many of the `spans` as it has a share of
 * all writers.
 */
export async function benchWriters({ spans }: { spans: number }): Promise<object> {
  if (!networkedAvailable) throw new Error('install the packages postgresql and nats-server, or Docker')
  const spansPerWriter = Math.ceil(spans / WRITERS.reduce((sum, count) => sum + count))
  const dataDir = await mkdtemp(join(tmpdir(), 'spanhouse-bench-'))
  const stores = await startStores()
  const roles = new Roles(stores, dataDir)
  try {
    await roles.start('api')
    const receivers: ServerProcess[] = []
    while (receivers.length < RECEIVERS) receivers.push(await roles.start('receiver'))
    const set = new WriterSet(receivers)
    while (set.writers.length < WRITERS_MAX) set.writers.push(await roles.start('writer'))
    await set.warmUp()
    const results = []
    for (const count of WRITERS) {
      while (set.writers.length > count) await set.writers.pop()?.stop()
      results.push(await set.measure(count * spansPerWriter))
      await checkStored([stores.CLICKHOUSE_URL], set.accepted)
    }
    const one = results.at(-1)
    return {
      spansPerWriter,
      results: results.map(result => ({
        ...result,
        ratioToOne: rounded(result.queryableSpansPerSecond / (one?.queryableSpansPerSecond ?? 0)),
      })),
    }
  } finally {
    await roles.kill()
    await stores.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}
