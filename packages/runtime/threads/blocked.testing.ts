import { spawnSync } from 'node:child_process'
import { answerQuestions } from './answer-questions.ts'

/* Blocks its thread for as many seconds as it is asked for, in native code and without using the processor. */
answerQuestions<number, string>(seconds => {
  spawnSync('sleep', [String(seconds)])
  return 'answered'
})
