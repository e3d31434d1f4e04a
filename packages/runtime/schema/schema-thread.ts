import { parentPort, workerData } from 'node:worker_threads'
import { parseRoundedJson } from '@spanhouse/model'
import { violationsOf } from './schema-check.ts'
import { type Answer, type Question, STAGES } from './schema-threads.ts'
import { schemaMistake } from './well-formed.ts'

/** Shared with whoever asks: what is being done, for the case that it never ends. */
const stage = new Int32Array(workerData as SharedArrayBuffer)

parentPort?.on('message', (question: Question) => parentPort?.postMessage(answerTo(question)))
parentPort?.postMessage('ready')

function answerTo({ schema, value }: Question): Answer {
  if (value === undefined) return { mistake: schemaMistake(parseRoundedJson(schema)) }
  const onCompiled = (): void => {
    stage[0] = STAGES.checking
  }
  return { violations: violationsOf(schema, value, onCompiled) }
}
