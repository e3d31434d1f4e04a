import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Engine, openEngine } from './engine.ts'
import { isPassing, requireStoreMatches } from './failures.ts'

/** What stands where ClickHouse should be; each test says what it answers. */
let answer: (response: ServerResponse) => void
/** The address of the last request. */
let asked: string
let server: Server
let url: string
let engine: Engine
beforeAll(async () => {
  server = createServer((request, response) => {
    asked = request.url ?? ''
    request.resume().on('end', () => answer(response))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => engine.close())
afterAll(() => {
  server.closeAllConnections()
  server.close()
})

const rows = (): Promise<unknown> => engine.rows({ text: 'SELECT v FROM spans', params: {} })
const binaryRows = (): Promise<unknown> =>
  engine.binaryRows({ text: 'SELECT v FROM spans', params: {} }, row => row.text())
const table = (): Promise<unknown> => engine.table({ text: 'SELECT v FROM spans', params: {} }, 'sent')
const insert = (): Promise<void> => engine.insert('spans', ['v'], Buffer.alloc(1))
const refuse =
  (status: number, text: string, code?: number) =>
  (response: ServerResponse): void =>
    void response.writeHead(status, code ? { 'x-clickhouse-exception-code': code } : {}).end(text)
const failure = (code: number, type: string, text = 'No') =>
  refuse(500, `Code: ${code}. DB::Exception: ${text}. (${type}) (version 26.7.1.1)`, code)

const UPDATE_FAULT = 'Not found column trace_type in block. There are only columns: events, _part_data_version, data'
const updateFault = failure(10, 'NOT_FOUND_COLUMN_IN_BLOCK', UPDATE_FAULT)
/**
 * As ClickHouse reports that a server of its cluster dies while it reads from it; within a block this is a matter of
 * luck.
 */
const diedSending = (code: number) =>
  failure(code, 'CUT_OFF', 'Cannot read all data: while receiving packet from 127.0.0.1:9000: While executing Remote')

test.each<[string, (response: ServerResponse) => void, string]>([
  ['a proxy that finds no server', refuse(502, '<html><h1>502 Bad Gateway</h1></html>'), 'overloaded'],
  ['a proxy that says nothing', refuse(503, ''), 'overloaded'],
  ['too many queries', failure(202, 'TOO_MANY_SIMULTANEOUS_QUERIES'), 'overloaded'],
  ['a server that ends', failure(236, 'ABORTED'), 'overloaded'],
  ['a server without memory', failure(241, 'MEMORY_LIMIT_EXCEEDED', '(total) memory limit exceeded'), 'overloaded'],
  ['a query without memory', failure(241, 'MEMORY_LIMIT_EXCEEDED', 'Query memory limit exceeded'), 'query_limit'],
  ['another server that dies between blocks', diedSending(32), 'overloaded'],
  ['another server that dies within a block', diedSending(33), 'overloaded'],
  ['updates that the engine fails to apply', updateFault, 'overloaded'],
  ['a connection that breaks', response => response.socket?.resetAndDestroy(), 'overloaded'],
  [
    'an answer that breaks off',
    response => {
      response.writeHead(200, { 'content-length': 1_000 }).write('{"v":1}\n', () => response.destroy())
    },
    'overloaded',
  ],
  ['an answer without its end', response => response.end('{"v":1}\n{"v":'), 'overloaded'],
  ['an answer without the end of its last row', response => response.end('{"v":1}\n{"v":2}'), 'overloaded'],
  [
    'an exception among the rows',
    response => response.end('{"v":1}\nCode: 395. DB::Exception: stop (FUNCTION_THROW_IF)\n'),
    'overloaded',
  ],
  ['silence', () => {}, 'overloaded'],
])('%s is a typed refusal of a query, never a part of its rows, and passes for a write', async (_, answers, code) => {
  answer = answers
  engine = openEngine(url, { connections: 1, silentMs: 200 })
  await expect(rows()).rejects.toMatchObject({ code })
  await expect(binaryRows()).rejects.toMatchObject({ code })
  await expect(table()).rejects.toMatchObject({ code })
  const error = await insert().catch(error => error)
  if (error) expect(isPassing(error)).toBe(true)
})

test('a server that took a statement and is silent is not called unreachable', async () => {
  answer = () => {}
  engine = openEngine(url, { connections: 1, silentMs: 200 })
  await expect(rows()).rejects.toMatchObject({ code: 'overloaded', message: expect.stringMatching(/ask for less/) })
})

test('a full disk is named, and passes for a write', async () => {
  answer = failure(243, 'NOT_ENOUGH_SPACE', 'Cannot reserve 1.00 MiB, not enough space')
  engine = openEngine(url, { connections: 1, silentMs: 200 })
  const error = await insert().catch(error => error)
  expect(error).toMatchObject({ code: 'overloaded', retryable: true, message: expect.stringMatching(/no space left/) })
  expect(isPassing(error)).toBe(true)
})

test('an insert whose bytes end too early is at fault itself', async () => {
  answer = failure(33, 'CANNOT_READ_ALL_DATA', 'Cannot read all data. Bytes read: 3. Bytes expected: 8')
  engine = openEngine(url, { connections: 1 })
  expect(isPassing(await insert().catch(error => error))).toBe(false)
})

test('a read on which the engine fails to apply its updates is tried again', async () => {
  const answers = [updateFault, updateFault, (response: ServerResponse) => void response.end('{"v":1}\n')]
  answer = response => answers.shift()?.(response)
  engine = openEngine(url, { connections: 1 })
  expect(await rows()).toEqual([{ v: 1 }])
})

test('a write on which it fails does not take the tables for others', async () => {
  answer = updateFault
  engine = openEngine(url, { connections: 1 })
  const error = await insert().catch(error => error)
  expect(() => requireStoreMatches(error)).not.toThrow()
  answer = failure(10, 'NOT_FOUND_COLUMN_IN_BLOCK', 'Not found column v in block')
  const mismatch = await insert().catch(error => error)
  expect(() => requireStoreMatches(mismatch)).toThrow('lack a column')
})

/** Breaks every connection off. */
async function openAway(): Promise<{ url: string; close(): void }> {
  const away = createServer(request => request.socket.resetAndDestroy())
  await new Promise<void>(resolve => away.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(away.address() as AddressInfo).port}`, close: () => away.close() }
}

test('reads at the same time find the server that responds, whichever of them notices first', async () => {
  answer = response => response.end('{"v":1}\n')
  const away = await openAway()
  engine = openEngine([away.url, url], { connections: 4 })
  const found = Promise.all([rows(), rows(), rows(), rows()])
  expect(await found.finally(away.close)).toEqual([1, 2, 3, 4].map(() => [{ v: 1 }]))
})

test('a server stays in use if another one does not respond to what all are told', async () => {
  answer = response => response.end()
  const away = await openAway()
  engine = openEngine([url, away.url], { connections: 1 })
  const toAll = engine.command({ text: 'SELECT 1', params: {}, servers: 'all' })
  await expect(toAll).rejects.toMatchObject({ code: 'overloaded' })
  await engine.command({ text: 'SELECT 1', params: {} }).finally(away.close)
})

test.each([
  ['cut off in a row', 'RowBinary', '\x01a\x05b'],
  ['of somebody else', 'HTML', '\x01a\x01b'],
])('bytes %s are no rows', async (_, format, bytes) => {
  answer = response => response.writeHead(200, { 'x-clickhouse-format': format }).end(bytes)
  engine = openEngine(url, { connections: 1 })
  await expect(binaryRows()).rejects.toMatchObject({ code: 'overloaded' })
})

test.each([
  ['cut off in a name', 'RowBinaryWithNamesAndTypes', '\x01\x05na'],
  ['of somebody else', 'HTML', '\x01\x01v\x06String'],
])('bytes %s are no table', async (_, format, bytes) => {
  answer = response => response.writeHead(200, { 'x-clickhouse-format': format }).end(bytes)
  engine = openEngine(url, { connections: 1 })
  await expect(table()).rejects.toMatchObject({ code: 'overloaded' })
})

test('the rows themselves are to blame only when ClickHouse says so', async () => {
  answer = failure(33, 'CANNOT_READ_ALL_DATA')
  engine = openEngine(url, { connections: 1 })
  expect(isPassing(await insert().catch(error => error))).toBe(false)
})

test('ClickHouse copies little of the rows of an insert before it parses the statement', async () => {
  answer = response => response.end()
  engine = openEngine(url, { connections: 1 })
  await insert()
  const sent = new URL(asked, url).searchParams
  expect(sent.get('query')).toMatch(/^INSERT INTO spans /)
  expect(Number(sent.get('max_query_size'))).toBeLessThanOrEqual(65_536)
})

test('large inserts of one process into one server take turns, and small ones pass them', async () => {
  const held: ServerResponse[] = []
  answer = response => held.push(response)
  engine = openEngine(url, { connections: 1 })
  const other = openEngine(url, { connections: 2 })
  const large = Buffer.alloc(1024 ** 2)
  const inserts = Promise.allSettled([engine, other].map(one => one.insert('spans', ['v'], large)))
  await expect.poll(() => held.length).toBe(1)
  const small = other.insert('spans', ['v'], Buffer.alloc(1))
  await expect.poll(() => held.length).toBe(2)
  held[1]?.end()
  await small
  expect(held.length).toBe(2)
  // A failure ends the turn, too.
  failure(243, 'NOT_ENOUGH_SPACE')(held[0] as ServerResponse)
  await expect.poll(() => held.length).toBe(3)
  held[2]?.end()
  const ended = await inserts.finally(() => other.close())
  expect(ended.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
})
