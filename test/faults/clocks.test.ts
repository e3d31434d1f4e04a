import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresAvailable } from '@spanhouse/postgres/postgres-server.testing.ts'
import type { ServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { natsAvailable } from '@spanhouse/span-stream/nats-server.testing.ts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Answer, call, eventually } from '../harness.ts'
import { exportOf, newTraceId, type OtlpSpan, otlpSpan } from '../otlp.ts'
import { startRole, startStores } from '../sets/networked.ts'

/** The clock of a machine that is a minute behind. */
const BEHIND = 'data:text/javascript,const%20now=Date.now;Date.now=()=>now()-60000'

describe.skipIf(!natsAvailable || !postgresAvailable)('a receiver whose clock is behind', () => {
  let stores: Awaited<ReturnType<typeof startStores>>
  let dataDir: string
  let [api, receiver, writer]: ServerProcess[] = []
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'spanhouse-clocks-'))
    stores = await startStores()
    api = await startRole('api', { stores, dataDir: join(dataDir, 'api') })
    const env = { NODE_OPTIONS: `--import=${BEHIND}` }
    ;[receiver, writer] = await Promise.all([
      startRole('receiver', { stores, dataDir: join(dataDir, 'receiver'), like: api, env }),
      startRole('writer', { stores, dataDir: join(dataDir, 'writer'), like: api }),
    ])
  }, 60_000)
  afterAll(async () => {
    await Promise.all([api, receiver, writer].map(one => one?.stop()))
    await stores?.stop()
    await rm(dataDir, { recursive: true, force: true })
  })

  const ask = (method: string, path: string): Promise<Answer> =>
    call((api as ServerProcess).url, method, path, `ApiKey ${api?.apiKey}`)
  const send = (...spans: OtlpSpan[]): Promise<Answer> => {
    const { url, apiKey } = receiver as ServerProcess
    return call(url, 'POST', '/api/otlp/v1/traces', `ApiKey ${apiKey}`, exportOf(...spans))
  }
  const isStored = async (traceId: string): Promise<boolean> =>
    (await ask('GET', `/api/spans/?trace_id=${traceId}`)).body.count === 1

  test('loses nothing of what it accepts after a trace was deleted', async () => {
    const traceId = newTraceId()
    expect((await send(otlpSpan({ traceId }))).status).toBe(202)
    await eventually(() => isStored(traceId))
    expect((await ask('DELETE', `/api/traces/${traceId}`)).body.count).toBe(1)
    expect((await send(otlpSpan({ traceId }))).status).toBe(202)
    await eventually(() => isStored(traceId))
  }, 60_000)
})
