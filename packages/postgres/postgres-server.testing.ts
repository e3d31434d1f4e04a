import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'

const INSTALLED = '/usr/lib/postgresql'
const START_MS = 30_000

/**
 * Whether a Postgres server that tests can start is installed. In CI its absence is a failure instead of a reason to
 * skip.
 */
export const postgresAvailable: boolean = newestBinaries() !== null
if (!postgresAvailable) {
  if (process.env.CI === 'true') throw new Error(`no Postgres under ${INSTALLED}: its tests must not be skipped in CI`)
  console.warn(`SKIPPED: no Postgres under ${INSTALLED}; tests ran on the embedded database only`)
}

/** The database with all migrations, on the server shared by all test files; each suite gets a copy. */
export const TEMPLATE = 'spanhouse_template'

export interface PostgresServer {
  /** The address of the database `postgres` over TCP; unchanged across `restart`. */
  readonly url: string
  /** A fresh, empty database on this server. Resolves to its address. */
  createDatabase(name?: string): Promise<string>
  /** Stops the server as an operator would, and removes its files. */
  stop(): Promise<void>
  /** Kills all its processes at once, without a shutdown. */
  kill(): Promise<void>
  /** Restarts it with the same files and port after `kill`. */
  restart(): Promise<void>
}

/**
 * Starts a server on a free port with its files in a temporary folder. `durable` keeps fsync on: for tests that crash
 * it. Postgres refuses to run as root, so for root it runs as the user `postgres`.
 */
export async function startPostgres(options: { durable?: boolean } = {}): Promise<PostgresServer> {
  const dir = serverFolder('spanhouse-postgres-')
  const data = join(dir, 'data')
  run('initdb', ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync'])
  const port = await freePort()
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const settings = ['listen_addresses=127.0.0.1', `port=${port}`, `unix_socket_directories=${dir}`]
  settings.push(`fsync=${options.durable ? 'on' : 'off'}`, 'max_connections=200')
  const start = () => launch(data, settings, url)
  let server = await start()
  // A test that fails before it stops its server must not leave it running.
  const abandon = () => {
    server.kill('SIGQUIT')
    rmSync(dir, { recursive: true, force: true })
  }
  process.once('exit', abandon)
  return {
    url,
    createDatabase: name => createDatabase(url, { name }),
    stop: async () => {
      await end(server, 'SIGINT')
      rmSync(dir, { recursive: true, force: true })
      process.off('exit', abandon)
    },
    kill: () => end(server, 'SIGQUIT'),
    restart: async () => {
      server = await start()
    },
  }
}

async function launch(data: string, settings: string[], url: string): Promise<ChildProcess> {
  return launchServer(binary('postgres'), ['-D', data, ...settings.flatMap(one => ['-c', one])], url)
}

/** Starts a program that refuses to run as root, and resolves when it answers as a Postgres server at this address. */
export async function launchServer(program: string, args: string[], url: string): Promise<ChildProcess> {
  const server = spawn(...asServerUser(program, args), { stdio: ['ignore', 'ignore', 'pipe'] })
  let log = ''
  server.stderr?.on('data', chunk => {
    log = (log + chunk).slice(-4_000)
  })
  const until = Date.now() + START_MS
  while (!(await answers(url))) {
    if (server.exitCode !== null || Date.now() > until) throw new Error(`${program} did not start:\n${log}`)
    await delay(20)
  }
  return server
}

/** A new temporary folder for the user that servers run as. */
export function serverFolder(prefix: string): string {
  const dir = mkdtempSync(join(tmpdir(), prefix))
  if (isRoot()) execFileSync('chown', ['postgres', dir])
  return dir
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => undefined)
  try {
    await client.connect()
    return true
  } catch {
    return false
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Like {@link PostgresServer.createDatabase}; or a copy of `template`, which must have no connections. */
export async function createDatabase(
  url: string,
  { name = `test_${randomUUID().replaceAll('-', '')}`, template = 'template1' } = {},
): Promise<string> {
  await administer(url, `create database ${name} template ${template}`)
  return addressOf(url, name)
}

/** Removes a database that `createDatabase` created, even if it has connections. */
export function dropDatabase(url: string): Promise<void> {
  return administer(addressOf(url, 'postgres'), `drop database ${new URL(url).pathname.slice(1)} with (force)`)
}

function addressOf(url: string, database: string): string {
  return Object.assign(new URL(url), { pathname: `/${database}` }).href
}

async function administer(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}

/** SIGINT is Postgres' fast shutdown, SIGQUIT its immediate one: a crash of every process of the server. */
export async function end(server: ChildProcess, signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
  if (server.exitCode !== null || server.signalCode !== null) return
  const ended = new Promise(resolve => server.once('exit', resolve))
  server.kill(signal)
  await ended
}

const run = (program: string, args: string[]): void => {
  const [command, rest] = asServerUser(binary(program), args)
  execFileSync(command, rest, { stdio: ['ignore', 'ignore', 'inherit'] })
}

/** setpriv replaces itself by the program, so a signal to the child reaches Postgres. */
function asServerUser(program: string, args: string[]): [string, string[]] {
  if (!isRoot()) return [program, args]
  return ['setpriv', ['--reuid=postgres', '--regid=postgres', '--init-groups', program, ...args]]
}

const binary = (name: string): string => join(newestBinaries() as string, name)

const isRoot = (): boolean => process.getuid?.() === 0

function newestBinaries(): string | null {
  if (!existsSync(INSTALLED)) return null
  const paths = readdirSync(INSTALLED)
    .sort((a, b) => Number(b) - Number(a))
    .map(version => join(INSTALLED, version, 'bin'))
  return paths.find(path => existsSync(join(path, 'postgres')) && existsSync(join(path, 'initdb'))) ?? null
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })
}
