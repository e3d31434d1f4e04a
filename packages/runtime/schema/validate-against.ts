import type { Json, Violation } from '@spanhouse/model'
import { type Answer, askThread, type Failure, type Question } from './schema-threads.ts'
import { tooDeep, violation } from './schema-violation.ts'

/** Why a check has no answer, after the schema or the value. */
const FAILURES: Record<Failure, string> = {
  compiling: 'The schema takes too long to compile',
  checking: 'The value takes too long to check against the schema',
  memory: 'The schema or the value takes too much memory to check',
}

/**
 * What of the value is not as the JSON Schema says, at most 50 violations; locations are relative to the value. The
 * dialect is the one the schema names, 2020-12 by default. Formats are descriptions and not checked, and nothing
 * outside the schema is fetched. A schema that cannot be used (malformed, too large, too slow, with a pattern that
 * cannot be matched in linear time) is itself one violation. The owner is whose share of the threads this takes; a
 * Problem `overloaded` when it is used up.
 */
export async function validateAgainst(schema: Json, value: Json, owner: string): Promise<Violation[]> {
  const answer = await ask(() => ({ schema: JSON.stringify(schema), value: JSON.stringify(value) }), owner)
  if (answer === 'deep') return [tooDeep()]
  return typeof answer === 'string' ? [violation([], FAILURES[answer])] : (answer.violations as Violation[])
}

/**
 * What is wrong with a JSON Schema under the dialect that it names, or null. Says nothing about what `$ref`s point at.
 */
export async function schemaMistake(schema: Json, owner: string): Promise<string | null> {
  const answer = await ask(() => ({ schema: JSON.stringify(schema) }), owner)
  if (answer === 'deep') return 'is nested too deeply'
  if (typeof answer !== 'string') return answer.mistake as string | null
  return answer === 'memory' ? 'takes too much memory to check' : 'takes too long to check'
}

/** `deep`: nested too deeply to be written as a text. */
async function ask(question: () => Question, owner: string): Promise<Answer | Failure | 'deep'> {
  let written: Question
  try {
    written = question()
  } catch (error) {
    if (error instanceof RangeError) return 'deep'
    throw error
  }
  return askThread(written, owner)
}
