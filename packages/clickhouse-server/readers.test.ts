import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type ClickHouseServer, type Reader, startClickHouse } from './index.ts'

let path: string
let server: ClickHouseServer
const deaths: string[] = []
const start = (): Promise<ClickHouseServer> => startClickHouse({ path, onDeath: message => deaths.push(message) })

beforeAll(async () => {
  path = await mkdtemp(join(tmpdir(), 'spanhouse-readers-'))
  server = await start()
})
afterAll(async () => {
  await server?.stop()
  await rm(path, { recursive: true, force: true })
})

/** The answer's text, for the server's own user unless another one is given. */
async function ask(statement: string, user?: { name: string; password?: string }): Promise<string> {
  const { origin, username, password } = new URL(server.url)
  const authorization = `Basic ${btoa(user ? `${user.name}:${user.password ?? ''}` : `${username}:${password}`)}`
  const answer = await fetch(origin, { method: 'POST', body: statement, headers: { authorization } })
  return (await answer.text()).trim()
}

/** The answer to a reader who sends a table of numbers along, `n`, with settings for reading it. */
async function askWith(
  numbers: string,
  { name, password }: { name: string; password: string },
  settings: Record<string, string> = {},
): Promise<string> {
  const url = new URL(new URL(server.url).origin)
  const parameters = { query: 'SELECT * FROM n', n_structure: 'n Int32', n_format: 'CSV', ...settings }
  for (const [parameter, value] of Object.entries(parameters)) url.searchParams.set(parameter, value)
  const body = new FormData()
  body.append('n', new Blob([numbers]), 'n')
  const headers = { authorization: `Basic ${btoa(`${name}:${password}`)}` }
  return (await (await fetch(url, { method: 'POST', body, headers })).text()).trim()
}

const readerOf = (name: string, password: string, condition: string): Reader => ({
  name,
  passwordSha256: createHash('sha256').update(password).digest('hex'),
  definer: `${name}_definer`,
  tables: ['t'],
  conditions: { t: condition },
})

/** Adds the reader, with a view `t` of what they may read. */
async function setReader(reader: Reader): Promise<void> {
  const { name, definer } = reader
  await server.setReader(reader)
  await expect.poll(() => ask(`CREATE DATABASE IF NOT EXISTS ${name}`).catch(() => 'away')).toBe('')
  const view = `CREATE OR REPLACE VIEW ${name}.t DEFINER = ${definer} SQL SECURITY DEFINER AS SELECT * FROM default.t`
  await expect.poll(() => ask(view).catch(() => 'away')).toBe('')
}

test('readers see their rows, keep their rights when the server starts again, and are gone when removed', async () => {
  await ask('CREATE TABLE t ENGINE = MergeTree ORDER BY n AS SELECT number AS n FROM numbers(10)')
  const [low, high] = [
    { name: 'low', password: 'a' },
    { name: 'high', password: 'b' },
  ]
  await Promise.all([
    setReader(readerOf('low', 'a', 'n < 3')),
    setReader(readerOf('high', 'b', "n >= 3 AND '<&>' != ''")),
  ])
  const rows = async (): Promise<string[]> =>
    Promise.all([
      ask('SELECT count() FROM t'),
      ask('SELECT count() FROM low.t', low),
      ask('SELECT count() FROM high.t', high),
    ])
  expect(await rows()).toEqual(['10', '3', '7'])
  await server.stop()
  server = await start()
  expect(await rows()).toEqual(['10', '3', '7'])
  for (const place of ['t', 'high.t', "mergeTreeIndex('default', 't')"])
    expect(await ask(`SELECT count() FROM ${place}`, low)).toMatch(/ACCESS_DENIED/)
  for (const name of ['low_definer', 'high_definer'])
    expect(await ask('SELECT 1', { name })).toMatch(/AUTHENTICATION_FAILED/)
  await setReader(readerOf('low', 'c', 'n < 1'))
  expect(await ask('SELECT count() FROM low.t', low)).toMatch(/AUTHENTICATION_FAILED/)
  expect(await ask('SELECT count() FROM low.t', { name: 'low', password: 'c' })).toBe('1')
  expect([await server.removeReader('high'), await server.removeReader('high')]).toEqual([true, false])
  expect(await ask('SELECT count() FROM high.t', high)).toMatch(/AUTHENTICATION_FAILED/)
  expect(await ask('DROP DATABASE high SYNC')).toBe('')
  await expect(server.setReader(readerOf('../x', 'a', '1'))).rejects.toThrow('not the name of a reader')
  expect(deaths).toEqual([])
})

test('readers neither read nor write files', async () => {
  const user = { name: 'curious', password: 'a' }
  await server.setReader(readerOf('curious', 'a', '1'))
  const folder = await mkdtemp(join(tmpdir(), 'spanhouse-files-'))
  const [row, written] = [join(folder, 'row.txt'), join(folder, 'written.proto')]
  await writeFile(row, ['known to nobody $', '{n:CSV}'].join(''))
  const statements = [
    `SELECT file('${row}')`,
    `SELECT file(materialize('${row}'), 'none')`,
    "SELECT file('package.json')",
    `SELECT 1 AS n FORMAT Template SETTINGS format_template_row = '${row}'`,
    `SELECT 1 AS n FORMAT Template SETTINGS format_template_resultset = '${row}'`,
    `SELECT 1 AS n FORMAT Protobuf SETTINGS format_schema = '${row}:n'`,
    `SELECT 1 AS n FORMAT Protobuf SETTINGS output_format_schema = '${written}'`,
  ]
  for (const statement of statements) {
    const text = await ask(statement, user)
    expect(text, statement).toContain('xception')
    expect(text, statement).not.toContain('nobody')
  }
  expect(await askWith('1\n2\n', user)).toBe('1\n2')
  const errors = { input_format_allow_errors_num: '9', input_format_record_errors_file_path: join(folder, 'errors') }
  expect(await askWith('1\nx\n', user, errors)).toContain('SETTING_CONSTRAINT_VIOLATION')
  expect(readdirSync(folder)).toEqual(['row.txt'])
  await rm(folder, { recursive: true })
})

test('readers cannot make the server call an address', async () => {
  const user = { name: 'caller', password: 'a' }
  await server.setReader(readerOf('caller', 'a', '1'))
  const called: string[] = []
  const receiver = createServer((request, response) => {
    called.push(request.url ?? '')
    response.end('known to nobody')
  })
  await once(receiver.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`
  const avro = { n_format: 'AvroConfluent', format_avro_schema_registry_url: url }
  expect(await askWith('\0\0\0\0\x01x', user, avro)).toContain('SETTING_CONSTRAINT_VIOLATION')
  const registry = `format_avro_schema_registry_url = '${url}', output_format_avro_confluent_subject = 'x'`
  for (const statement of [
    `SELECT 1 AS n FORMAT AvroConfluent SETTINGS ${registry}`,
    `SELECT * FROM url('${url}', CSV, 'a String')`,
  ])
    expect(await ask(statement, user), statement).toMatch(/SETTING_CONSTRAINT_VIOLATION|ACCESS_DENIED/)
  expect(called).toEqual([])
  receiver.close()
})

/** The processes that this one has started. */
const children = (): string[] =>
  readdirSync('/proc/self/task').flatMap(thread =>
    readFileSync(`/proc/self/task/${thread}/children`, 'utf8').split(' ').filter(Boolean),
  )

test('changes that are made together share a restart', async () => {
  await ask('CREATE OR REPLACE TABLE t ENGINE = MergeTree ORDER BY n AS SELECT number AS n FROM numbers(10)')
  const before = new Set(children())
  const servers = new Set<string>()
  const names = Array.from({ length: 12 }, (_, at) => `reader${at}`)
  const changes = names.map(async name => {
    await server.setReader(readerOf(name, name, 'n < 3'))
    for (const pid of children()) if (!before.has(pid)) servers.add(pid)
  })
  await Promise.all(changes)
  // The first change may have a restart of its own.
  expect(servers.size).toBeLessThanOrEqual(2)
  for (const name of names) expect(await ask('SELECT 1', { name, password: name })).toBe('1')
})

test('a stop while the server starts again for a reader ends it for good', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'spanhouse-readers-stopped-'))
  const before = new Set(children())
  const own = (): string[] => children().filter(pid => !before.has(pid))
  const stopped = await startClickHouse({ path: folder, onDeath: message => deaths.push(message) })
  const [first] = own()
  const changed = stopped.setReader(readerOf('late', 'a', 'n < 3'))
  await expect.poll(own, { interval: 5 }).toEqual([expect.not.stringMatching(`^${first}$`)])
  await stopped.stop()
  await changed
  expect(own()).toEqual([])
  await rm(folder, { recursive: true, force: true })
})
