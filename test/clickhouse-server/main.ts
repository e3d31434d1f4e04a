// node test/clickhouse-server/main.ts --port N --path DIR
import { once } from 'node:events'
import { mkdirSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Engine } from './engine.ts'
import { createClickHouseServer } from './server.ts'
import { Spool } from './spool.ts'

// Statements run on libuv's threads, four by default; compression needs some beside them. Read at their first use.
process.env.UV_THREADPOOL_SIZE = '24'

const { values } = parseArgs({ options: { port: { type: 'string', default: '8123' }, path: { type: 'string' } } })
if (values.path === undefined) throw new Error('usage: main.ts --port N --path DIR')
const path = resolve(values.path)
const spoolPath = join(path, 'spool')
const spool = new Spool(spoolPath)
// The engine takes files in the working directory for tables of its default database: none of ours is named like one.
process.chdir(spoolPath)
mkdirSync(join(path, 'engine'), { recursive: true })
const engine = new Engine(join(path, 'engine'))

const server = createClickHouseServer(engine, spool)
server.listen(Number(values.port), '127.0.0.1')
await once(server, 'listening')
console.log(`listening on http://127.0.0.1:${(server.address() as AddressInfo).port}`)

async function end() {
  server.close()
  await once(server, 'close')
  engine.close()
  process.exit(0)
}

process.once('SIGTERM', end)
// Of a process that started this one with a channel: a test that dies leaves no server behind.
process.once('disconnect', end)
