// A thread beside the interpreter, whose own thread the code may occupy for ever. Ends the process when a run has used
// its processor time, and when the parent is gone, which is when the pipe from it ends.
import { Socket } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'
import { SANDBOX_LIMITS } from '../limits.ts'
import { CPU_LIMIT_SIGNAL, PARENT_FD } from './program-arguments.ts'

const LOOK_EVERY_MS = 250

/** Processor microseconds of the process at the start of the run; 0 when there is none. */
const [startedAt] = [new Float64Array(workerData as SharedArrayBuffer)]

const end = (): boolean => process.kill(process.pid, 'SIGKILL')
new Socket({ fd: PARENT_FD }).on('end', end).on('error', end).on('close', end).resume()

setInterval(() => {
  const start = startedAt[0] as number
  const { user, system } = process.cpuUsage()
  if (start !== 0 && user + system - start > SANDBOX_LIMITS.cpuMsMax * 1000) process.kill(process.pid, CPU_LIMIT_SIGNAL)
}, LOOK_EVERY_MS)
parentPort?.postMessage('watching')
