import './start/thread-pool.ts'

import { runHelpersBehind } from '@spanhouse/priority'
import { type Config, forgottenSettings, readConfig, unknownSettings } from './config.ts'
import { openLog } from './log/log.ts'
import { reasonOf } from './log/reason.ts'
import { checkPlace } from './start/checks.ts'
import { giveBackHeapPages } from './start/heap-pages.ts'
import { beSupervised, tell } from './start/supervision.ts'
import { welcome } from './start/welcome.ts'

/** How long a stop may take before the process exits anyway; unfinished work is repeated after the next start. */
const STOP_MS = 25_000

// Whatever this process, its threads and the embedded stores create is not readable by others.
process.umask(0o077)
// A full disk, or a terminal that is gone, is not a reason to exit.
for (const output of [process.stdout, process.stderr]) output.on('error', () => undefined)
// Replaced once there is something to stop.
let end = (_reason: string): void => process.exit(0)
// From the beginning: a container's first process, while it waits for a store, would otherwise ignore them.
for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) process.on(signal, () => end(signal))
const config = await readConfigOrExit()
const log = openLog(config.logLevel)

for (const warning of [...unknownSettings(process.env), ...forgottenSettings(config)]) log.warn(warning)
giveBackHeapPages()
runHelpersBehind()
// A thousand modules, which a wrong setting need not wait for.
const { startServer } = await import('./server.ts')
beSupervised(() => end('the supervisor has exited'))
const server = await startServer(config, log, fail).catch(error => {
  process.stderr.write(`Spanhouse cannot start: ${reasonOf(error)}\n`)
  // One line for the operator; the stack is for those who look for a defect.
  log.debug({ err: error }, 'could not start')
  return process.exit(1)
})
let isStopping = false
end = reason => {
  // Ctrl-C arrives more than once, from the terminal, from npm and from the supervisor.
  if (!isStopping) void stop(reason)
  isStopping = true
}
process.stdout.write(await welcome(server, process.stdout.isTTY))
tell('ready')

async function stop(reason: string): Promise<void> {
  tell('stopping')
  log.info({ reason }, 'stopping')
  setTimeout(() => fail(new Error(`did not stop within ${STOP_MS / 1000} s`)), STOP_MS).unref()
  await server.stop()
  log.info('stopped')
  process.exit(0)
}

/** After a defect the process exits: everything accepted is durable, and a new start continues from there. */
function fail(error: unknown): never {
  log.fatal({ err: error }, 'stopping after an error')
  process.exit(1)
}

async function readConfigOrExit(): Promise<Config> {
  try {
    const [argument] = process.argv.slice(2)
    if (argument !== undefined)
      throw new Error(`${argument}: Spanhouse takes no arguments; its settings are variables such as SPANHOUSE_PORT`)
    const config = readConfig(process.env)
    await checkPlace(config)
    return config
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exit(2)
  }
}
