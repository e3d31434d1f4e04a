import { hash } from 'node:crypto'
import { isJsonObject, parseRoundedJson, type Violation } from '@spanhouse/model'
import type { ValidateFunction } from 'ajv'
import { dialectOf } from './dialects.ts'
import { linearPattern } from './linear-pattern.ts'
import { tooDeep, toViolation, violation } from './schema-violation.ts'
import { schemaMistake } from './well-formed.ts'

/*
 * What the threads of `schema-threads` do: it may take any time, and is ended from outside. Nothing here is to be
 * called where requests are answered.
 */

/** Beyond these a schema or value is refused unread. */
const SCHEMA_LENGTH_MAX = 128 * 1024
const VALUE_LENGTH_MAX = 16 * 1024 * 1024
/** In one thread. */
const COMPILED_MAX = 128
const VIOLATIONS_MAX = 50

/** A schema ready for use, or why it cannot be used. */
type Compiled = ValidateFunction | string

/** By the hash of their text; the one that was used longest ago goes first. */
const compiled = new Map<string, Compiled>()

/** As `validateAgainst`, of JSON texts. `onCompiled` is called before the value is looked at. */
export function violationsOf(schema: string, value: string, onCompiled: () => void): Violation[] {
  try {
    const check = compiledOf(schema)
    onCompiled()
    if (typeof check === 'string') return [violation([], `The schema ${check}`)]
    if (value.length > VALUE_LENGTH_MAX) return [violation([], 'The value is too large to check')]
    // Integers past 2^53 are numbers here; a schema could not compare them otherwise.
    check(parseRoundedJson(value))
    return (check.errors ?? []).slice(0, VIOLATIONS_MAX).map(toViolation)
  } catch (error) {
    if (error instanceof RangeError) return [tooDeep()]
    throw error
  }
}

function compiledOf(text: string): Compiled {
  const key = hash('sha256', text, 'base64')
  const found = compiled.get(key) ?? compile(text)
  compiled.delete(key)
  compiled.set(key, found)
  if (compiled.size > COMPILED_MAX) compiled.delete(compiled.keys().next().value as string)
  return found
}

function compile(text: string): Compiled {
  if (text.length > SCHEMA_LENGTH_MAX) return 'is too large'
  const schema = parseRoundedJson(text)
  const mistake = schemaMistake(schema)
  if (mistake !== null) return `is malformed: ${mistake}`
  try {
    // A compiler of its own: what one schema calls itself must not be found by another. Asynchronous schemas are an
    // invention of the library, and would answer with a promise.
    if (isJsonObject(schema)) delete schema.$async
    return dialectOf(schema)
      .open(OPTIONS)
      .compile(schema as object)
  } catch (error) {
    return `cannot be used: ${(error as Error).message}`
  }
}

/** References are calls, since inlining them can grow without bound. */
const OPTIONS = {
  strict: false,
  allErrors: true,
  inlineRefs: false,
  validateSchema: false,
  validateFormats: false,
  logger: false as const,
  code: { regExp: Object.assign((pattern: string) => linearPattern(pattern), { code: 'linearPattern' }) },
}
