import { existsSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { end, freePort, launchServer, serverFolder } from './postgres-server.testing.ts'

const PROGRAM = '/usr/sbin/pgbouncer'

/** Whether a PgBouncer is installed. In CI its absence is a failure instead of a reason to skip. */
export const poolerAvailable: boolean = existsSync(PROGRAM)
if (!poolerAvailable) {
  if (process.env.CI === 'true') throw new Error(`no ${PROGRAM}: its tests must not be skipped in CI`)
  console.warn(`SKIPPED: no ${PROGRAM}; install the package pgbouncer.`)
}

/** Starts a PgBouncer in front of a Postgres server that asks for no password. `url` is that of the same database. */
export async function openPooler(serverUrl: string, mode: 'session' | 'transaction') {
  const server = new URL(serverUrl)
  const dir = serverFolder('spanhouse-pooler-')
  const port = await freePort()
  const configFile = join(dir, 'pgbouncer.ini')
  writeFileSync(
    configFile,
    `[databases]
* = host=${server.hostname} port=${server.port} user=postgres
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
`,
  )
  const url = Object.assign(new URL(serverUrl), { port: String(port) }).href
  const pooler = await launchServer(PROGRAM, [configFile], url)
  return {
    url,
    close: async () => {
      await end(pooler, 'SIGQUIT')
      rmSync(dir, { recursive: true })
    },
  }
}
