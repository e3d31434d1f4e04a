// Runs code: node program.ts quickjs|pyodide, started by interpreter-process.ts. Reads work from one pipe and writes
// outcomes to another, one at a time and without an event loop in between.
import { once } from 'node:events'
import { writeSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { readFrame, writeFrame } from './frames.ts'
import type { Interpreter, Work } from './interpreter.ts'
import { ANSWERS_FD, type InterpreterName, REUSABLE, SPENT, WORK_FD } from './program-arguments.ts'

const STANDARD_ERROR_FD = 2

// Ctrl-C in a terminal reaches the whole process group, and the parent ends this process when it no longer needs it.
// The main thread never runs these handlers; their existence keeps the signals from ending the process.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined)

const startedAt = new Float64Array(new SharedArrayBuffer(8))
await once(new Worker(new URL('./watch.ts', import.meta.url), { workerData: startedAt.buffer }), 'message')

const interpreter = await open(process.argv[2] as InterpreterName).catch((error: unknown) => {
  writeSync(STANDARD_ERROR_FD, String(error))
  return process.exit(1)
})
writeFrame(ANSWERS_FD, Buffer.from('ready'))

for (let work = readFrame(WORK_FD); work; work = readFrame(WORK_FD)) {
  startedAt[0] = cpuMicros()
  const outcome = interpreter.run(JSON.parse(work.toString()) as Work)
  startedAt[0] = 0
  const state = (await interpreter.reset()) ? REUSABLE : SPENT
  writeFrame(ANSWERS_FD, Buffer.concat([Buffer.of(state), outcome]))
}
process.exit()

/** Each process loads one of the two. */
async function open(name: InterpreterName): Promise<Interpreter> {
  if (name === 'pyodide') return (await import('./python.ts')).openPython()
  return (await import('./javascript.ts')).openJavaScript()
}

function cpuMicros(): number {
  const { user, system } = process.cpuUsage()
  return user + system
}
