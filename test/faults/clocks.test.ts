import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { postgresAvailable } from '@spanhouse/postgres/postgres-server.testing.ts'
import { newDataDir, type ServerProcess, startServerProcess } from '@spanhouse/server/server-process.testing.ts'
import { natsAvailable } from '@spanhouse/span-stream/nats-server.testing.ts'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type Answer, call, eventually } from '../harness.ts'
import { exportOf, newTraceId, type OtlpSpan, otlpSpan } from '../otlp.ts'
import { startRole, startStores } from '../sets/networked.ts'

/** The clock of a machine that is a minute behind. */
const BEHIND = 'data:text/javascript,const%20now=Date.now;Date.now=()=>now()-60000'

/** A clock that is set back by an hour when asked to. */
const SET_BACK =
  'data:text/javascript,const%20now=Date.now;process.on(%22SIGUSR2%22,()=>{Date.now=()=>now()-3600000;console.log(%22set%22)})'

test('a clock that is set back loses neither new versions of spans nor what follows a deletion', async () => {
  const dataDir = await newDataDir('set-back')
  const server = await startServerProcess({ dataDir, env: { NODE_OPTIONS: `--import=${SET_BACK}` } })
  onTestFinished(async () => {
    await server.kill()
    await rm(dataDir, { recursive: true, force: true })
  })
  const ask = (method: string, path: string, body?: unknown): Promise<Answer> =>
    call(server.url, method, path, `ApiKey ${server.apiKey}`, body)
  const [changed, deleted] = [otlpSpan({ traceId: newTraceId() }), otlpSpan({ traceId: newTraceId() })]
  const send = async (...spans: OtlpSpan[]): Promise<void> =>
    expect((await ask('POST', '/api/otlp/v1/traces', exportOf(...spans))).status).toBe(202)
  const names = async ({ traceId }: OtlpSpan): Promise<string[]> =>
    (await ask('GET', `/api/spans/?trace_id=${traceId}`)).body.spans.map(({ span_name }: any) => span_name)
  await send(changed, deleted)
  await expect.poll(() => names(deleted)).toEqual([deleted.name])
  expect((await ask('DELETE', `/api/traces/${deleted.traceId}`)).body.count).toBe(1)
  process.kill(server.pid, 'SIGUSR2')
  await expect.poll(() => server.output()).toContain('\nset\n')
  await send({ ...changed, name: 'later' }, { ...deleted, name: 'later' })
  for (const span of [changed, deleted]) await expect.poll(() => names(span)).toEqual(['later'])
})

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
  })
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
  })
})
