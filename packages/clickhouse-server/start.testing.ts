// node start.testing.ts FOLDER: starts a server there, says `ready`, and waits to be killed.
import { startClickHouse } from './index.ts'

const [path = ''] = process.argv.slice(2)
await startClickHouse({ path, onDeath: message => console.error(message) })
console.log('ready')
