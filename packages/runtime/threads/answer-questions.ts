import { parentPort, workerData } from 'node:worker_threads'

/**
 * Makes the module a thread of a `ThreadPool`. `answer` may take any time, since it is terminated from outside; `reach`
 * reports its progress, in case it never ends.
 */
export function answerQuestions<Question, Answer>(
  answer: (question: Question, reach: (stage: number) => void) => Answer,
): void {
  const stage = new Int32Array(workerData as SharedArrayBuffer)
  const reach = (reached: number): void => {
    stage[0] = reached
  }
  parentPort?.on('message', (question: Question) => parentPort?.postMessage(answer(question, reach)))
  parentPort?.postMessage('ready')
}
