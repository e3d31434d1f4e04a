// A ClickHouse server: node program.ts LIBRARY CONFIG_FILE STATEMENTS, started by server-process.ts.
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { DataType, load, open } from 'ffi-rs'

const [library = '', configFile = '', statements = ''] = process.argv.slice(2)

// Signals to a whole process group also reach the parent, which stores what it has accepted before it stops this
// process. The main thread never runs these handlers; their existence keeps the signals from ending the process.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined)

await once(new Worker(new URL('./parent-watch.ts', import.meta.url)), 'message')

// clickhouse-local, which contains the whole server. It occupies this thread until its statements end, which happens
// only if they fail: the reason is then on standard error.
const args = ['clickhouse', '--config-file', configFile, '--multiquery', '--query', statements]
open({ library: 'clickhouse', path: library })
load({
  library: 'clickhouse',
  funcName: 'chdb_query_cmdline',
  retType: DataType.I32,
  paramsType: [DataType.I32, DataType.StringArray],
  paramsValue: [args.length, args],
})
process.exit(1)
