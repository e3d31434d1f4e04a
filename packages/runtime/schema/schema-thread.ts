import { parseRoundedJson } from '@spanhouse/model'
import { answerQuestions } from '../threads/answer-questions.ts'
import { violationsOf } from './schema-check.ts'
import { type Answer, type Question, STAGES } from './schema-threads.ts'
import { schemaMistake } from './well-formed.ts'

answerQuestions(({ schema, value }: Question, reach): Answer => {
  if (value === undefined) return { mistake: schemaMistake(parseRoundedJson(schema)) }
  return { violations: violationsOf(schema, value, () => reach(STAGES.checking)) }
})
