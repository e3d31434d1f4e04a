// A ClickHouse server: node program.ts LIBRARY CONFIG_FILE STATEMENTS, started by server-process.ts.
import { once } from 'node:events'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { DataType, load, open } from 'ffi-rs'

const [library = '', configFile = '', statements = ''] = process.argv.slice(2)

// Signals to a whole process group also reach the parent, which stores what it has accepted before it stops this
// process. The main thread never runs these handlers; their existence keeps the signals from ending the process.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined)

await once(new Worker(new URL('./parent-watch.ts', import.meta.url)), 'message')

open({ library: 'clickhouse', path: library })

// In clickhouse-local, the function `file` and the schemas of formats read and write any file of the machine, and no
// grant or setting forbids `file`. All of them begin with the working folder, whatever the path. So this one is removed
// when the server has started, which needs one, and before it listens: its first statement reads `gate` until then.
// It is among the system's temporary files: the data may be on a shared folder of another system, without named pipes.
const folder = mkdtempSync(join(tmpdir(), 'spanhouse-start-'))
process.chdir(folder)
const isMade = load({
  library: 'clickhouse',
  funcName: 'mkfifo',
  retType: DataType.I32,
  paramsType: [DataType.String, DataType.I32],
  paramsValue: ['gate', 0o600],
})
if (isMade !== 0) throw new Error(`cannot create a named pipe in ${folder}`)
void new Worker(new URL('./gate.ts', import.meta.url), { workerData: folder })

// clickhouse-local, which contains the whole server. It occupies this thread until its statements end, which happens
// only if they fail: the reason is then on standard error.
const args = ['clickhouse', '--config-file', configFile, '--multiquery', '--query', statements]
load({
  library: 'clickhouse',
  funcName: 'chdb_query_cmdline',
  retType: DataType.I32,
  paramsType: [DataType.I32, DataType.StringArray],
  paramsValue: [args.length, args],
})
process.exit(1)
