import { parseJson } from '@spanhouse/model'
import { EngineBroken } from '../prompt/jinja.ts'
import { answerQuestions } from '../threads/answer-questions.ts'
import { PatternError } from './pattern/pattern-error.ts'
import { searchTexts } from './search-texts.ts'
import { WORK } from './work.ts'
import type { Answer, Question } from './work-threads.ts'

const FUNCTIONS = { ...WORK, searchTexts }

answerQuestions(({ name, args }: Question): Answer => {
  const call = FUNCTIONS[name] as (...args: unknown[]) => unknown
  try {
    return { value: call(...(parseJson(args) as unknown[])) }
  } catch (error) {
    if (error instanceof PatternError || error instanceof RangeError) return { mistake: error.message }
    if (error instanceof EngineBroken && error.isExhausted) process.exit(1)
    throw error
  }
})
