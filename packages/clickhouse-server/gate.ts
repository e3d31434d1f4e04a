// A thread beside the server: removes the working folder when the server reads the pipe `gate` in it, and then lets go.
import { closeSync, constants, openSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { workerData } from 'node:worker_threads'

const LOOK_EVERY_MS = 5

/** A descriptor of the pipe, once another one reads it. */
async function openGate(): Promise<number> {
  for (;;) {
    try {
      return openSync(join(workerData, 'gate'), constants.O_WRONLY | constants.O_NONBLOCK)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error
    }
    await delay(LOOK_EVERY_MS)
  }
}

try {
  const gate = await openGate()
  rmSync(workerData, { recursive: true })
  closeSync(gate)
} catch (error) {
  // The main thread is the server's and reports nothing.
  writeSync(2, `${error}\n`)
  process.kill(process.pid, 'SIGKILL')
}
