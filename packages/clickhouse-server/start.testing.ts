// node start.testing.ts FOLDER: starts a server there, says `ready`, and waits to be killed.
import { startClickHouse } from './index.ts'

const [path] = process.argv.slice(2)
if (!path) throw new Error('usage: node start.testing.ts FOLDER')
await startClickHouse({ path, onDeath: message => console.error(message) })
console.log('ready')
