import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Problem } from '@spanhouse/model'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { cancellable } from './cancellation.ts'
import { type Engine, openEngine } from './engine.ts'

/** In ClickHouse's place: takes statements and never answers them. */
let server: Server
let engine: Engine
let asked = 0
let hungUp = 0

beforeEach(async () => {
  asked = hungUp = 0
  server = createServer((request, response) => {
    asked++
    request.resume()
    response.once('close', () => hungUp++)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  engine = openEngine(`http://127.0.0.1:${port}`, { connections: 1, queueMs: 100 })
})

afterEach(async () => {
  await engine.close()
  server.closeAllConnections()
  server.close()
})

const statement = { text: 'SELECT 1', params: {} }

test.each<[string, () => Promise<unknown>]>([
  ['rows', () => engine.rows(statement)],
  ['binaryRows', () => engine.binaryRows(statement, () => null)],
  ['tables', () => engine.table(statement, 'sent')],
])(
  '%s that nobody waits for any more are ended on the server, and their connection is free again',
  async (_name, read) => {
    for (let round = 1; round <= 2; round++) {
      const leaving = new AbortController()
      const reading = cancellable(leaving.signal, read).catch((error: Error) => error)
      await expect.poll(() => asked).toBe(round)
      leaving.abort()
      expect(await reading).toBeInstanceOf(Error)
      await expect.poll(() => hungUp).toBe(round)
    }
  },
)

test('what is written is not ended by its caller', async () => {
  const leaving = new AbortController()
  const writing = cancellable(leaving.signal, () => engine.command(statement)).catch(() => 'ended')
  await expect.poll(() => asked).toBe(1)
  leaving.abort()
  await expect(engine.rows(statement)).rejects.toMatchObject({ code: 'overloaded' })
  expect(hungUp).toBe(0)
  server.closeAllConnections()
  expect(await writing).toBe('ended')
})

test('reads end with the reason of the signal, on their way and while they wait for a connection', async () => {
  const ending = new AbortController()
  const reason = new Problem('query_timeout', 'The request took too long.')
  const patient = openEngine(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, { connections: 1 })
  const readings = [1, 2].map(() => cancellable(ending.signal, () => patient.rows(statement)))
  await expect.poll(() => asked).toBe(1)
  ending.abort(reason)
  for (const reading of readings) await expect(reading).rejects.toBe(reason)
  await expect.poll(() => hungUp).toBe(1)
  const later = cancellable(ending.signal, () => patient.rows(statement))
  await expect(later).rejects.toBe(reason)
  expect(asked).toBe(1)
  await patient.close()
})

test('reads that begin when the work is done are not cancelled with it', async () => {
  const ending = new AbortController()
  const begin = Promise.withResolvers<void>()
  const leftBehind = await cancellable(ending.signal, () => ({
    reading: begin.promise.then(() => engine.rows(statement)).catch((error: Error) => error),
  }))
  ending.abort(new Error('too late'))
  begin.resolve()
  await expect.poll(() => asked).toBe(1)
  server.closeAllConnections()
  expect(await leftBehind.reading).toMatchObject({ code: 'overloaded' })
})
