import { answerQuestions } from '../threads/answer-questions.ts'
import { PatternError } from './pattern/pattern-error.ts'
import { toRegExp } from './pattern/python-pattern.ts'
import { WORK } from './work.ts'
import type { Answer, Pattern, Question } from './work-threads.ts'

/** Patterns that are kept; the one that was used longest ago goes first. */
const KEPT_MAX = 128
const kept = new Map<string, RegExp>()

answerQuestions((question: Question): Answer => {
  try {
    if ('pattern' in question) return { value: searched(question.pattern, question.texts) }
    return { value: WORK[question.name](question.a, question.b) }
  } catch (error) {
    if (error instanceof PatternError || error instanceof RangeError) return { mistake: error.message }
    throw error
  }
})

function searched(pattern: Pattern, texts: readonly string[]): boolean[] {
  const expression = regExpOf(pattern)
  return texts.map(text => expression.test(text))
}

function regExpOf({ source, ignoreCase }: Pattern): RegExp {
  const name = `${ignoreCase ? 'i' : '-'}${source}`
  const found = kept.get(name) ?? toRegExp(source, ignoreCase)
  kept.delete(name)
  kept.set(name, found)
  if (kept.size > KEPT_MAX) kept.delete(kept.keys().next().value as string)
  return found
}
