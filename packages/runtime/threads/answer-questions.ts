import { parentPort, workerData } from 'node:worker_threads'
import { Progress } from './progress.ts'

/**
 * Makes the module a thread of a `ThreadPool`. `answer` may take any time, since it is terminated from outside; `reach`
 * reports its progress, in case it never ends.
 */
export function answerQuestions<Question, Answer>(
  answer: (question: Question, reach: (stage: number) => void) => Answer,
): void {
  const progress = new Progress(workerData as SharedArrayBuffer)
  const reach = (reached: number): void => {
    progress.stage = reached
  }
  parentPort?.on('message', (question: Question) => {
    progress.begunAtMs = threadCpuMs()
    parentPort?.postMessage(answer(question, reach))
  })
  parentPort?.postMessage('ready')
}

function threadCpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
