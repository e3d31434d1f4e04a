// A thread beside the server: ends the process when its standard input does, that is with the parent at the latest.
import { Socket } from 'node:net'
import { parentPort } from 'node:worker_threads'

// The engine is made for this: a statement cut short leaves nothing behind that a reader could see.
const end = (): boolean => process.kill(process.pid, 'SIGKILL')
new Socket({ fd: 0 }).on('end', end).on('error', end).on('close', end).resume()
parentPort?.postMessage('watching')
