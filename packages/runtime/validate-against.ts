import { createHash } from 'node:crypto'
import { createContext, Script } from 'node:vm'
import { isJsonObject, type Json, type Violation } from '@spanhouse/model'
import type { ErrorObject, ValidateFunction } from 'ajv'
import { dialectOf } from './dialects.ts'
import { schemaMistake } from './well-formed.ts'

/** Beyond these a schema or value is refused unread. */
const SCHEMA_LENGTH_MAX = 128 * 1024
const VALUE_LENGTH_MAX = 16 * 1024 * 1024
/** For compiling a schema, and again for checking one value. Patterns and references can be made to take for ever. */
const TIME_MAX_MS = 500
const COMPILED_MAX = 256
const VIOLATIONS_MAX = 50

/** A schema ready for use, or why it cannot be used. */
type Compiled = ValidateFunction | string

/** By the hash of their text; the one that was used longest ago goes first. */
const compiled = new Map<string, Compiled>()

/**
 * What of the value is not as the JSON Schema says, at most 50 violations; locations are relative to the value. The
 * dialect is the one the schema names, 2020-12 by default. Formats are descriptions and not checked, and nothing outside
 * the schema is fetched. A schema that cannot be used (malformed, too large, too slow) is itself one violation.
 */
export function validateAgainst(schema: Json, value: Json): Violation[] {
  try {
    const check = compiledOf(schema)
    return typeof check === 'string' ? [violation([], `The schema ${check}`)] : violationsOf(check, value)
  } catch (error) {
    if (error instanceof RangeError) return [violation([], 'The value or the schema is nested too deeply')]
    throw error
  }
}

function violationsOf(check: ValidateFunction, value: Json): Violation[] {
  const text = JSON.stringify(value)
  if (text.length > VALUE_LENGTH_MAX) return [violation([], 'The value is too large to be checked')]
  // Parsed again, so that integers past 2^53 are numbers; a schema could not compare them otherwise.
  const plain: unknown = JSON.parse(text)
  const isDone = withinTime(() => check(plain))
  if (!isDone) return [violation([], 'The value takes too long to check against the schema')]
  return (check.errors ?? []).slice(0, VIOLATIONS_MAX).map(toViolation)
}

function compiledOf(schema: Json): Compiled {
  const text = JSON.stringify(schema)
  const hash = createHash('sha256').update(text).digest('base64')
  const found = compiled.get(hash) ?? compile(text)
  compiled.delete(hash)
  compiled.set(hash, found)
  if (compiled.size > COMPILED_MAX) compiled.delete(compiled.keys().next().value as string)
  return found
}

function compile(text: string): Compiled {
  if (text.length > SCHEMA_LENGTH_MAX) return 'is too large'
  const schema = JSON.parse(text) as Json
  const mistake = schemaMistake(schema)
  if (mistake !== null) return `is malformed: ${mistake}`
  let made: ValidateFunction | undefined
  try {
    // A compiler of its own: what one schema calls itself must not be found by another. Asynchronous schemas are an
    // invention of the library, and would answer with a promise.
    if (isJsonObject(schema)) delete schema.$async
    const isDone = withinTime(() => {
      made = dialectOf(schema)
        .open(OPTIONS)
        .compile(schema as object)
    })
    return isDone && made ? made : 'takes too long to compile'
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
  code: { regExp: patternOf },
}

/** As strict as the pattern allows: with Unicode where it may be. */
function patternOf(text: string): RegExp {
  try {
    return new RegExp(text, 'u')
  } catch {
    return new RegExp(text)
  }
}
patternOf.code = 'patternOf'

const timed = createContext({ work: (): unknown => undefined })
const callWork = new Script('work()')

/** Does the work unless it takes too long: false then, and it has been stopped, wherever it was. */
function withinTime(work: () => unknown): boolean {
  timed.work = work
  try {
    callWork.runInContext(timed, { timeout: TIME_MAX_MS })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return false
    throw error
  } finally {
    timed.work = undefined
  }
}

const toViolation = ({ instancePath, message, keyword, params }: ErrorObject): Violation =>
  violation(stepsOf(instancePath), `${message ?? keyword}${detailOf(params)}`)

/** Names what the message leaves out. */
function detailOf({ additionalProperty, unevaluatedProperty, allowedValues }: ErrorObject['params']): string {
  const detail = additionalProperty ?? unevaluatedProperty ?? allowedValues
  return detail === undefined ? '' : `: ${JSON.stringify(detail)}`
}

const violation = (loc: (string | number)[], msg: string): Violation => ({ type: 'value_error.json_schema', loc, msg })

/** The steps of a JSON Pointer (RFC 6901). Steps of digits only are taken for places in lists. */
function stepsOf(pointer: string): (string | number)[] {
  const steps = pointer.split('/').slice(1)
  return steps.map(step => (/^\d{1,9}$/.test(step) ? Number(step) : step.replaceAll('~1', '/').replaceAll('~0', '~')))
}
