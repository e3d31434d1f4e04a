import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { lockFolder } from '@spanhouse/folder-lock'
import { KeptServer } from './clickhouse-server.ts'
import type { ServerAddress } from './configuration.ts'
import { startServerProcess, urlOf } from './server-process.ts'

/**
 * `npm run clickhouse -- [--shards N] [--path FOLDER] [--port FIRST]`: ClickHouse servers on this machine until Ctrl-C,
 * to try a cluster out. Each is a shard with its data in a folder of its own. Prints the setting for Spanhouse. With
 * more shards than before, the others keep their data. A server that dies is started again: one that speaks the native
 * protocol does when its peer breaks a connection off (see DECISIONS.md).
 */
const { values } = readArguments()
const shards = Number(values.shards)
const port = Number(values.port)
const SHARDS_MAX = 16
if (!Number.isInteger(shards) || shards < 1 || shards > SHARDS_MAX) fail(`--shards is a number from 1 to ${SHARDS_MAX}`)
if (!Number.isInteger(port) || port < 1 || port > 65_535 - 2 * SHARDS_MAX) fail(`--port=${values.port} is not a port`)

process.umask(0o077)
const folder = resolve(values.path)
const numbers = Array.from({ length: shards }, (_, index) => index + 1)
/** HTTP ports first, then those of the native protocol, which stay the same when shards are added. */
const tcpPorts = numbers.map(number => port + SHARDS_MAX + number)
const password = await keptPassword()
const addresses: ServerAddress[] = numbers.map(number => ({
  path: join(folder, `shard-${number}`),
  httpPort: port + number - 1,
  tcpPort: tcpPorts[number - 1],
  password,
  cluster: { tcpPorts, shard: number },
}))
const servers = await Promise.all(addresses.map(startShard))
const urls = addresses.map(urlOf)
process.stdout.write(
  shards === 1 ? `export CLICKHOUSE_URL=${urls[0]}\n` : `export CLICKHOUSE_URLS="${urls.join(' ')}"\n`,
)
await Promise.race((['SIGINT', 'SIGTERM'] as const).map(signal => once(process, signal)))
await Promise.all(servers.map(server => server.stop()))

async function startShard(address: ServerAddress, index: number): Promise<KeptServer> {
  const onDeath = (message: string): void => void process.stderr.write(`shard ${index + 1}: ${message}\n`)
  await mkdir(address.path, { recursive: true })
  const unlock = await lockFolder(address.path).catch(error => fail(`${(error as Error).message}: stop it first`))
  const server = await startServerProcess(address).catch(error => fail((error as Error).message))
  return new KeptServer({ address, server, unlock, onDeath })
}

/** The same with each start, so that the setting does not change. */
async function keptPassword(): Promise<string> {
  const file = join(folder, 'password')
  const kept = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') fail(error.message)
  })
  if (kept) return kept
  const made = randomBytes(24).toString('base64url')
  await mkdir(folder, { recursive: true })
  await writeFile(file, made, { mode: 0o600 })
  return made
}

function readArguments() {
  const options = {
    shards: { type: 'string', default: '1' },
    path: { type: 'string', default: './clickhouse-data' },
    port: { type: 'string', default: '18123' },
  } as const
  try {
    return parseArgs({ options })
  } catch (error) {
    return fail(`${(error as Error).message}\nUsage: npm run clickhouse -- [--shards N] [--path FOLDER] [--port FIRST]`)
  }
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`)
  process.exit(1)
}
