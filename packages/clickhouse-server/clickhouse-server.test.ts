import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { connect } from 'node:net'
import { availableParallelism, getPriority, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type ClickHouseServer, startClickHouse } from './index.ts'
import { startTestCluster, startTestServer, type TestServer } from './test-server.testing.ts'

let path: string
const deaths: string[] = []
const running: { stop(): Promise<void> }[] = []

beforeEach(async () => {
  path = await mkdtemp(join(tmpdir(), 'spanhouse-clickhouse-server-'))
  deaths.length = 0
})
afterEach(async () => {
  for (const server of running.splice(0)) await server.stop()
  await rm(path, { recursive: true, force: true })
})

const start = async (): Promise<ClickHouseServer> => {
  const server = await startClickHouse({ path, onDeath: message => deaths.push(message) })
  running.push(server)
  return server
}

/** The answer's text, with the user of the address unless another one is named. */
const ask = async (server: { url: string }, statement: string, user?: string): Promise<string> =>
  (await answerTo(server, statement, user)).text.trim()

async function answerTo({ url }: { url: string }, statement: string, user?: string) {
  const { origin, username, password } = new URL(url)
  const authorization = `Basic ${btoa(user ? `${user}:` : `${username}:${password}`)}`
  const answer = await fetch(origin, { method: 'POST', body: statement, headers: { authorization } })
  return { text: await answer.text(), summary: JSON.parse(answer.headers.get('x-clickhouse-summary') ?? '{}') }
}

/** As the server itself notes it in its folder. */
const pidOf = async (folder: string): Promise<number> =>
  Number(/PID: (\d+)/.exec(await readFile(join(folder, 'status'), 'utf8'))?.[1])

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const KEEP = 'CREATE TABLE kept ENGINE = MergeTree ORDER BY v AS SELECT 42 AS v'

test('only the user with the password is answered, and only on the loopback address', async () => {
  const server = await start()
  expect(await ask(server, 'SELECT currentUser()')).toBe('spanhouse')
  expect(await ask(server, 'SELECT 1', 'spanhouse')).toContain('Authentication failed')
  for (const statement of ['SELECT 1', 'SYSTEM STOP LISTEN HTTP'])
    expect(await ask(server, statement, 'default')).toContain('USER_SESSION_LIMIT_EXCEEDED')
  const elsewhere = connect(Number(new URL(server.url).port), '127.0.0.2')
  await expect(once(elsewhere, 'connect')).rejects.toThrow('ECONNREFUSED')
})

test('the password stands in no argument, and its hash in a file for the owner alone', async () => {
  const server = await start()
  const { password } = new URL(server.url)
  expect(await readFile(`/proc/${await pidOf(path)}/cmdline`, 'utf8')).not.toContain(password)
  const users = join(path, 'server', 'users.xml')
  expect(await readFile(users, 'utf8')).not.toContain(password)
  expect((await stat(users)).mode & 0o777).toBe(0o600)
})

test('a server that dies is started again, at the same address with its data', async () => {
  const server = await start()
  await ask(server, KEEP)
  for (let time = 1; time <= 2; time++) {
    const pid = await pidOf(path)
    process.kill(pid, 'SIGKILL')
    await expect.poll(() => ask(server, 'SELECT v FROM kept').catch(() => 'away')).toBe('42')
    expect(await pidOf(path)).not.toBe(pid)
    expect(deaths).toHaveLength(time)
  }
  expect(deaths[0]).toBe('ClickHouse died (SIGKILL); it restarts in 0.2 s')
})

test('what ends a whole group of processes leaves the server to its parent', async () => {
  const server = await start()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.kill(await pidOf(path), signal)
  expect(await ask(server, 'SELECT sleep(1)')).toBe('0')
  expect(deaths).toEqual([])
})

test('it runs behind its parent, in the same session, since priorities count only within one', async () => {
  await start()
  const pid = await pidOf(path)
  expect(getPriority(pid)).toBe(Math.max(10, getPriority()))
  expect(await sessionOf(pid)).toBe(await sessionOf(process.pid))
})

async function sessionOf(pid: number): Promise<string | undefined> {
  return (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ').at(-1)?.split(' ')[3]
}

test('a stop ends it for good and releases the folder', async () => {
  const server = await start()
  const pid = await pidOf(path)
  await server.stop()
  expect(isRunning(pid)).toBe(false)
  expect(deaths).toEqual([])
  expect(await ask(await start(), 'SELECT 1')).toBe('1')
})

test('a stop ends it also while it restarts for a reader', async () => {
  const server = await start()
  const pid = await pidOf(path)
  await ask(server, KEEP)
  const rights = { definer: 'reader_definer', tables: ['kept'], conditions: { kept: '1' } }
  const reader = { name: 'reader', passwordSha256: '0'.repeat(64), ...rights }
  const changing = server.setReader(reader)
  await expect.poll(() => isRunning(pid), { interval: 5 }).toBe(false)
  await server.stop()
  await changing
  expect(deaths).toEqual([])
  expect(await ask(await start(), 'SELECT 1')).toBe('1')
})

test('a second program on the folder is refused', async () => {
  const server = await start()
  await expect(start()).rejects.toThrow(`${path} is in use by another process`)
  expect(await ask(server, 'SELECT 1')).toBe('1')
})

async function startProgram(): Promise<ChildProcess> {
  const program = join(import.meta.dirname, 'start.testing.ts')
  const child = spawn(process.execPath, [program, path], { stdio: ['ignore', 'pipe', 'inherit'] })
  await once(child.stdout as NonNullable<typeof child.stdout>, 'data')
  return child
}

test('the server of a program that is killed ends, and the next start has its data', async () => {
  const program = await startProgram()
  const pid = await pidOf(path)
  program.kill('SIGKILL')
  await expect.poll(() => isRunning(pid)).toBe(false)
  expect(await ask(await start(), 'SELECT 1')).toBe('1')
})

test('a start waits for the server that another program has left behind', async () => {
  const leftover = await startTestServer({ path })
  await ask(leftover, KEEP)
  const starting = start()
  // The engine's own lock refuses the first attempts.
  const config = join(path, 'server', 'config.xml')
  const ports = async (): Promise<string> => readFile(config, 'utf8')
  const before = await ports()
  await expect.poll(async () => (await ports()) !== before).toBe(true)
  await leftover.kill()
  expect(await ask(await starting, 'SELECT v FROM kept')).toBe('42')
})

test('servers side by side reach each other by the native protocol', async () => {
  const [one, other] = await Promise.all([startTestServer({ withTcp: true }), startTestServer({ withTcp: true })])
  running.push(one, other)
  await ask(other, KEEP)
  const { tcpAddress, user, password } = other
  const remote = `remote('${tcpAddress}', default.kept, '${user}', '${password}')`
  expect(await ask(one, `SELECT v, hostName() = '' FROM ${remote}`)).toBe('42\t0')
  await ask(one, `INSERT INTO FUNCTION ${remote} SELECT 43`)
  expect(await ask(other, 'SELECT sum(v) FROM kept')).toBe('85')
  await other.restart()
  // It listens to HTTP first.
  await expect.poll(() => ask(one, `SELECT sum(v) FROM ${remote}`)).toBe('85')
})

test('a shard that dies is started again with its data, at the same address; one that is killed on purpose is not', async () => {
  const cluster = await startTestCluster(1, { path })
  running.push(cluster)
  const [shard] = cluster.servers as [TestServer]
  await ask(shard, KEEP)
  const pid = await pidOf(path)
  process.kill(pid, 'SIGABRT')
  // For a moment it still responds.
  await expect.poll(() => pidOf(path)).not.toBe(pid)
  await expect.poll(() => ask(shard, 'SELECT v FROM kept')).toBe('42')
  await shard.kill()
  await expect(ask(shard, 'SELECT 1')).rejects.toThrow()
  await shard.restart()
  expect(await ask(shard, 'SELECT v FROM kept')).toBe('42')
})

test('two processors share an arena of the allocator, which returns free pages after a minute', async () => {
  const server = await start()
  const figures = await ask(server, 'SELECT * FROM system.jemalloc_stats FORMAT TSVRaw')
  expect(figures).toMatch(/opt\.percpu_arena: "disabled"/)
  expect(figures).toMatch(new RegExp(`opt\\.narenas: ${Math.ceil(availableParallelism() / 2)}\n`))
  expect(figures).toMatch(/opt\.dirty_decay_ms: 60000 /)
  expect(figures).toMatch(/opt\.oversize_threshold: 134217728\n/)
  const setting = (name: string) => `SELECT value FROM system.server_settings WHERE name = '${name}'`
  expect(await ask(server, setting('memory_worker_purge_dirty_pages_threshold_ratio'))).toBe('0.5')
  expect(await ask(server, setting('memory_worker_use_cgroup'))).toBe('0')
})

test('of the threads that many statements at once needed, those beyond 64 end when they are idle', async () => {
  const server = await start()
  const threads = async (): Promise<number> => Number(await ask(server, THREADS))
  const busy = Array.from({ length: 150 }, () => ask(server, 'SELECT sleep(2)'))
  await expect.poll(threads).toBeGreaterThan(150)
  await Promise.all(busy)
  await expect.poll(threads).toBeLessThan(120)
})

const THREADS = "SELECT value FROM system.metrics WHERE metric = 'GlobalThread'"

test('merges and mutations have three places, for smaller and smaller merges; a mutation needs one', async () => {
  const server = await start()
  const settings = `SELECT value FROM system.merge_tree_settings
    WHERE name IN ('max_bytes_to_merge_at_max_space_in_pool', 'max_bytes_to_merge_at_min_space_in_pool',
      'number_of_free_entries_in_pool_to_execute_mutation',
      'number_of_free_entries_in_pool_to_lower_max_size_of_merge') ORDER BY name`
  expect(await ask(server, settings)).toBe('20000000000\n131072\n1\n3')
  await ask(server, 'CREATE TABLE changed ENGINE = MergeTree ORDER BY c AS SELECT number AS c, 1 AS v FROM numbers(10)')
  // There are none before the first table.
  const places = "SELECT value FROM system.metrics WHERE metric = 'BackgroundMergesAndMutationsPoolSize'"
  expect(await ask(server, places)).toBe('3')
  await ask(server, 'ALTER TABLE changed UPDATE v = 2 WHERE c < 4 SETTINGS mutations_sync = 1')
  expect(await ask(server, 'SELECT sum(v) FROM changed')).toBe('14')
})

test('a merge has at most 16 parts, however many there are', async () => {
  const server = await start()
  await ask(server, 'CREATE TABLE merged (c UInt64) ENGINE = MergeTree ORDER BY c')
  await ask(server, 'SYSTEM STOP MERGES merged')
  for (let part = 1; part <= 40; part++) await ask(server, `INSERT INTO merged VALUES (${part})`)
  await ask(server, 'SYSTEM START MERGES merged')
  // Parts that were merged are still listed for some minutes.
  const merges = `SELECT max(max_block_number - min_block_number + 1), uniqExact(min_block_number) FROM system.parts
    WHERE table = 'merged' AND level = 1`
  await expect.poll(() => ask(server, merges)).toMatch(/\t[2-9]$/)
  expect(Number.parseInt(await ask(server, merges), 10)).toBeLessThanOrEqual(16)
  expect(await ask(server, 'SELECT sum(c) FROM merged')).toBe('820')
})

test('a file that is written has a buffer of 64 KiB, unless its column has another size', async () => {
  const server = await start()
  const insertTo = async (table: string, settings = ''): Promise<number> => {
    const columns = Array.from({ length: 40 }, (_, index) => `c${index} UInt8 ${settings}`)
    await ask(
      server,
      `CREATE TABLE ${table} (${columns.join(', ')}) ENGINE = MergeTree ORDER BY c0 SETTINGS min_bytes_for_wide_part = 0`,
    )
    const { summary } = await answerTo(server, `INSERT INTO ${table} (c0) SELECT number FROM numbers(10)`)
    return Number(summary.memory_usage)
  }
  const small = await insertTo('small')
  const large = await insertTo('large', 'SETTINGS (max_compress_block_size = 1048576)')
  expect(small).toBeLessThan(large / 4)
})

test('a merge writes many rows column by column', async () => {
  const server = await start()
  const columns = Array.from({ length: 12 }, (_, index) => `number AS c${index}`)
  const rows = `SELECT ${columns.join(', ')} FROM numbers(20_000)`
  await ask(
    server,
    `CREATE TABLE merged ENGINE = MergeTree ORDER BY c0 SETTINGS min_bytes_for_wide_part = 0 AS ${rows}`,
  )
  await ask(server, `INSERT INTO merged ${rows}`)
  await ask(server, 'OPTIMIZE TABLE merged FINAL')
  const gathered = "SELECT sum(value) FROM system.events WHERE event = 'GatheredColumns'"
  expect(Number(await ask(server, gathered))).toBeGreaterThan(0)
})
