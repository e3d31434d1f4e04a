import { request } from 'node:http'
import { Readable } from 'node:stream'
import { type ClickHouseClient, ClickHouseLogLevel, createClient, TupleParam } from '@clickhouse/client'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { type ClickHouseProcess, startClickHouse } from './start.testing.ts'

let server: ClickHouseProcess
let client: ClickHouseClient
let compressing: ClickHouseClient

beforeAll(async () => {
  server = await startClickHouse()
  const options = { url: server.url, max_open_connections: 30, log: { level: ClickHouseLogLevel.OFF } }
  client = createClient(options)
  compressing = createClient({ ...options, compression: { request: true, response: true } })
})

afterAll(async () => {
  await client.close()
  await compressing.close()
  await server.stop()
})

async function rows<T>(query: string, options: object = {}, from = client): Promise<T[]> {
  const result = await from.query({ query, format: 'JSONEachRow', ...options })
  return result.json<T>()
}

async function makeTable(name: string, columns: string): Promise<void> {
  await client.command({ query: `CREATE TABLE ${name} (${columns}) ENGINE = MergeTree ORDER BY n` })
}

function insertBytes(query: string, bytes: Uint8Array, from = client) {
  return from.exec({ query, values: Readable.from([bytes], { objectMode: false }) })
}

test('ping, by path and by statement', async () => {
  expect(await client.ping()).toEqual({ success: true })
  expect(await client.ping({ select: true })).toEqual({ success: true })
})

test.each([
  ['plain', 1, () => client],
  ['compressed', 2, () => compressing],
] as const)('rows go in and come out, %s', async (_, n, from) => {
  await client.command({
    query: 'CREATE TABLE IF NOT EXISTS rows_io (n UInt8, a String) ENGINE = MergeTree ORDER BY n',
  })
  const values = [{ n, a: 'ä\n"\\' }]
  const { summary } = await from().insert({ table: 'rows_io', values, format: 'JSONEachRow' })
  expect(summary).toMatchObject({ written_rows: '1' })
  const result = await from().query({ query: `SELECT * FROM rows_io WHERE n = ${n}`, format: 'JSONEachRow' })
  expect(result.response_headers).toMatchObject({
    'x-clickhouse-format': 'JSONEachRow',
    'x-clickhouse-query-id': result.query_id,
    ...(from() === compressing && { 'content-encoding': 'gzip' }),
  })
  expect(await result.json()).toEqual(values)
})

test.each([
  // A blank line would end the data and start a statement if the engine were given both as one text.
  ['TSV', Buffer.from('x\n\nINSERT INTO raw_TSV SELECT 1\n\xff\\0\\\\\n', 'latin1')],
  ['RowBinary', Buffer.from([3, 10, 10, 0xff, 0, 1, 0x3b])],
  ['CSV', Buffer.from('"two\n\nlines"\n')],
])('raw bytes as %s', async (format, bytes) => {
  await client.command({ query: `CREATE TABLE raw_${format} (a String) ENGINE = MergeTree ORDER BY tuple()` })
  await insertBytes(`INSERT INTO raw_${format} (a) FORMAT ${format}`, bytes)
  const result = await client.exec({ query: `SELECT a FROM raw_${format} FORMAT ${format}` })
  const chunks = await result.stream.toArray()
  expect(Buffer.concat(chunks).toString('latin1')).toBe(bytes.toString('latin1'))
})

const everyCharacter = `${String.fromCharCode(...Array.from({ length: 0x180 }, (_, code) => code))}€😀\uFEFF`
const params: [type: string, value: unknown, read: unknown][] = [
  ['String', everyCharacter, everyCharacter],
  ['String', "'; DROP TABLE t; --", "'; DROP TABLE t; --"],
  ['String', '', ''],
  ['LowCardinality(String)', '\\N\n', '\\N\n'],
  ['Nullable(String)', null, null],
  ['FixedString(3)', 'a\0b', 'a\0b'],
  ['Array(String)', [everyCharacter, '', "']"], [everyCharacter, '', "']"]],
  ['Array(Nullable(Int32))', [1, null, -3], [1, null, -3]],
  ['Map(String, Array(UInt8))', { "a'b\n": [1, 2] }, { "a'b\n": [1, 2] }],
  ['Tuple(UInt8, String)', new TupleParam([1, 'x\\']), [1, 'x\\']],
  ['Bool', true, true],
  ['UInt64', 2n ** 64n - 1n, '18446744073709551615'],
  ['Decimal(38, 15)', '12345678901234567890.123456789012345', '12345678901234567890.123456789012345'],
  ['Float64', 0.1, 0.1],
  ['Date', '2026-11-20', '2026-11-20'],
  ["DateTime64(3, 'UTC')", new Date('2026-11-20T01:02:03.456Z'), '2026-11-20 01:02:03.456'],
  ['UUID', '0a855121-f8b1-445c-b5c6-0ff1e88ff006', '0a855121-f8b1-445c-b5c6-0ff1e88ff006'],
  ["Enum8('a' = 1, 'b' = 2)", 'b', 'b'],
]

test.each(params)('a parameter of type %s in the URL and in a form', async (type, x, read) => {
  const clickhouse_settings = { output_format_json_quote_64bit_integers: 1, output_format_json_quote_decimals: 1 }
  for (const use_multipart_params of [false, true]) {
    const options = { query_params: { x }, use_multipart_params, clickhouse_settings }
    expect(await rows(`SELECT {x:${type}} AS x`, options)).toEqual([{ x: read }])
  }
})

test('parameters name a database and a table', async () => {
  const options = { query_params: { database: 'system', table: 'one' } }
  expect(await rows('SELECT dummy FROM {database:Identifier}.{table:Identifier}', options)).toEqual([{ dummy: 0 }])
})

test('100,000 ids in one parameter', async () => {
  const ids = Array.from({ length: 100_000 }, (_, id) => `id-${id}`)
  const options = { query_params: { ids }, use_multipart_params_auto: true }
  const query = 'SELECT length({ids:Array(String)}) AS length, {ids:Array(String)}[-1] AS last'
  expect(await rows(query, options)).toEqual([{ length: 100_000, last: 'id-99999' }])
})

const errors: [query: string, code: string, type: string, options?: object][] = [
  ['SELECT FROM WHERE', '62', 'SYNTAX_ERROR'],
  ['SELECT 1; SELECT 2', '62', 'SYNTAX_ERROR'],
  ['SELECT * FROM missing', '60', 'UNKNOWN_TABLE'],
  ['SELECT missing', '47', 'UNKNOWN_IDENTIFIER'],
  ['SELECT {x:UInt8}', '456', 'UNKNOWN_QUERY_PARAMETER'],
  ['SELECT {x:UInt8}', '457', 'BAD_QUERY_PARAMETER', { query_params: { x: 'y' } }],
  ['SELECT 1', '115', 'UNKNOWN_SETTING', { clickhouse_settings: { missing: 1 } }],
  [
    'SELECT number FROM numbers(99999)',
    '396',
    'TOO_MANY_ROWS_OR_BYTES',
    { clickhouse_settings: { max_result_rows: '10' } },
  ],
  [
    'SELECT sleepEachRow(0.01) FROM numbers(100)',
    '159',
    'TIMEOUT_EXCEEDED',
    { clickhouse_settings: { max_execution_time: 0.1, max_block_size: '1' } },
  ],
]

test.each(errors)('%s fails with %s %s', async (query, code, type, options) => {
  await expect(rows(query, options)).rejects.toMatchObject({ code, type })
  await expect(rows(query, options, compressing)).rejects.toMatchObject({ code, type })
})

test('an insert that cannot be read names its row and stores nothing', async () => {
  await makeTable('refused', 'n UInt8')
  const insert = insertBytes('INSERT INTO refused FORMAT JSONEachRow', Buffer.from('{"n":1}\n{"n":"x"}\n'))
  await expect(insert).rejects.toMatchObject({ code: '27', message: expect.not.stringContaining('/') })
  expect(await rows('SELECT count() AS count FROM refused')).toEqual([{ count: 0 }])
})

test('neither settings nor partial results reach the next statement', async () => {
  const clickhouse_settings = { max_execution_time: 0.1, max_block_size: '1', max_threads: 1 }
  const query = "SELECT sleepEachRow(0.01), getSetting('max_block_size') AS size FROM numbers(100)"
  const failing = Array.from({ length: 8 }, () => rows(query, { clickhouse_settings }).catch(({ type }) => type))
  expect(new Set(await Promise.all(failing))).toEqual(new Set(['TIMEOUT_EXCEEDED']))
  const plain = Array.from({ length: 32 }, () => rows("SELECT getSetting('max_block_size') AS size"))
  for (const result of await Promise.all(plain)) expect(result).toEqual([{ size: 65409 }])
})

test('a database and a SET hold for one request', async () => {
  await client.command({ query: 'CREATE DATABASE elsewhere' })
  await client.command({ query: 'SET max_threads = 1' })
  const query = "SELECT currentDatabase() AS name, getSetting('max_threads') = 1 AS leaked"
  const elsewhere = createClient({ url: server.url, database: 'elsewhere' })
  expect(await rows(query, {}, elsewhere)).toEqual([{ name: 'elsewhere', leaked: 0 }])
  expect(await rows(query)).toEqual([{ name: 'default', leaked: 0 }])
  await elsewhere.close()
})

test('twenty statements at once, each with its own parameters', async () => {
  const start = performance.now()
  const query = 'SELECT {x:UInt32} AS x, sleep(0.2) AS slept'
  const running = Array.from({ length: 20 }, (_, x) => rows(query, { query_params: { x } }))
  expect(await Promise.all(running)).toEqual(Array.from({ length: 20 }, (_, x) => [{ x, slept: 0 }]))
  // One after the other they would take four seconds.
  expect(performance.now() - start).toBeLessThan(3_000)
})

test('50 MB in one insert', async () => {
  await makeTable('big', 'n UInt32, a String')
  const lines = Array.from({ length: 50_000 }, (_, n) => JSON.stringify({ n, a: `${n}`.padEnd(980, 'x') }))
  await insertBytes('INSERT INTO big FORMAT JSONEachRow', Buffer.from(lines.join('\n')), compressing)
  expect(await rows('SELECT count() AS count, sum(n) AS sum, sum(length(a)) AS bytes FROM big')).toEqual([
    { count: 50_000, sum: (49_999 * 50_000) / 2, bytes: 49_000_000 },
  ])
})

test('lightweight UPDATE and DELETE', async () => {
  const settings = 'SETTINGS enable_block_number_column = 1, enable_block_offset_column = 1'
  await client.command({ query: `CREATE TABLE light (n UInt8, a String) ENGINE = MergeTree ORDER BY n ${settings}` })
  await client.command({
    query: "INSERT INTO light VALUES (1, 'one'), (2, 'two; 2'), ({n:UInt8}, 'three')",
    query_params: { n: 3 },
  })
  await client.command({ query: "UPDATE light SET a = 'zwei' WHERE n = {n:UInt8}", query_params: { n: 2 } })
  await client.command({ query: 'DELETE FROM light WHERE n = 1' })
  expect(await rows('SELECT * FROM light ORDER BY n')).toEqual([
    { n: 2, a: 'zwei' },
    { n: 3, a: 'three' },
  ])
})

test('a repeated insert with its token counts once', async () => {
  await client.command({
    query:
      'CREATE TABLE tokens (n UInt8) ENGINE = MergeTree ORDER BY n SETTINGS non_replicated_deduplication_window = 10',
  })
  const insert = { table: 'tokens', values: [{ n: 1 }], format: 'JSONEachRow' } as const
  for (const token of ['a', 'a', 'b']) {
    await client.insert({ ...insert, clickhouse_settings: { insert_deduplication_token: token } })
  }
  expect(await rows('SELECT count() AS count FROM tokens')).toEqual([{ count: 2 }])
})

test('an insert of nothing is no error, unless the table is missing', async () => {
  await makeTable('empty', 'n UInt8')
  await insertBytes('INSERT INTO empty FORMAT JSONEachRow', Buffer.alloc(0))
  const missing = insertBytes('INSERT INTO missing FORMAT JSONEachRow', Buffer.alloc(0))
  await expect(missing).rejects.toMatchObject({ type: 'UNKNOWN_TABLE' })
})

test('a GET reads only', async () => {
  expect(await (await fetch(`${server.url}/?query=SELECT+1`)).text()).toBe('1\n')
  const response = await fetch(`${server.url}/?query=CREATE+TABLE+x+(a+Int8)+ENGINE=Memory`)
  expect(response.headers.get('x-clickhouse-exception-code')).toBe('164')
  expect(response.status).toBe(500)
})

test.each([
  ['text that is not UTF-8', '/?query=SELECT+%FF', {}, 36],
  ['an unknown encoding', '/', { headers: { 'Content-Encoding': 'rot13' } }, 89],
  ['a broken gzip body', '/', { headers: { 'Content-Encoding': 'gzip' } }, 1002],
  ['no statement', '/', { body: ' \n' }, 62],
])('%s is refused', async (_, path, init, code) => {
  const response = await fetch(server.url + path, { method: 'POST', body: 'SELECT 1', ...init })
  expect(await response.text()).toContain(`Code: ${code}. DB::Exception: `)
})

test('a client that leaves in the middle of a body stores nothing', async () => {
  await makeTable('left_early', 'n UInt8')
  const upload = request(`${server.url}/?query=INSERT+INTO+left_early+FORMAT+TSV`, { method: 'POST' })
  upload.on('error', () => undefined)
  await new Promise(resolve => upload.write('1\n2\n', resolve))
  upload.destroy()
  expect(await rows('SELECT count() AS count FROM left_early')).toEqual([{ count: 0 }])
})

test('a client that leaves does not stop what it started', async () => {
  await makeTable('left_late', 'n UInt8')
  const aborting = new AbortController()
  const query = 'INSERT INTO left_late SELECT sleepEachRow(0.05) + number FROM numbers(10)'
  const command = client.command({ query, abort_signal: aborting.signal })
  const running = () => rows("SELECT 1 FROM system.processes WHERE query LIKE 'INSERT INTO left_late%'")
  await vi.waitUntil(async () => (await running()).length > 0)
  aborting.abort()
  await expect(command).rejects.toThrow('abort')
  await vi.waitUntil(async () => (await running()).length === 0, { timeout: 5_000 })
  expect(await rows('SELECT count() AS count FROM left_late')).toEqual([{ count: 10 }])
})
