import { isRawJson, type Json, type JsonObject, numberOf } from '@spanhouse/model'
import type { Run } from '../run.ts'
import { misfit, RunError } from '../run-error.ts'
import { graded } from './verdict.ts'

/** The languages of callers' code. */
export const RUNTIMES = ['python', 'javascript', 'typescript']

/** Versions of the signature of `evaluate`: four arguments and a number; three and a number; three and any value. */
export const VERSIONS = ['1', '2', '3']

/** The versions whose result is a number, which determines score and success. */
export const NUMBER_VERSIONS: ReadonlySet<string> = new Set(['1', '2'])

/** The version in the parameters, as a text or a number; undefined if it is absent or unknown. */
export const knownVersion = ({ version }: JsonObject): string | undefined =>
  VERSIONS.find(known => known === version || Number(known) === version)

/** Code to run: its language, and the arguments of `evaluate` by position. */
export interface CustomCode {
  source: string
  runtime: string
  version: string
  arguments: readonly Json[]
  threshold: number
}

/** The requested runtime, by default `python`. Throws a 400 RunError for an unknown one. */
export function knownRuntime(runtime: Json | undefined): string {
  const asked = runtime ?? 'python'
  if (typeof asked !== 'string' || !RUNTIMES.includes(asked))
    throw misfit('parameter', 'runtime', `one of ${RUNTIMES.join(', ')}`, asked)
  return asked
}

/** Runs the code and converts its result to an evaluation (12). Throws a 400 RunError `code-error` if it cannot be. */
export async function runCode({ means }: Run, code: CustomCode): Promise<Json> {
  const { source, runtime, version } = code
  const result = await means.evaluate({ source, runtime, arguments: code.arguments })
  return NUMBER_VERSIONS.has(version) ? graded(numberIn(result), code.threshold) : evaluationOf(result, code.threshold)
}

function evaluationOf(result: Json, threshold: number): Json {
  if (result === null) throw resultError('a JSON value', result)
  if (typeof result === 'boolean') return { success: result }
  return typeof result === 'number' || isRawJson(result) ? graded(numberIn(result), threshold) : result
}

/** Converts a result to a number; booleans and texts are accepted. */
function numberIn(result: Json): number {
  const number = typeof result === 'string' && result.trim() !== '' ? Number(result) : Number(numberOrBoolean(result))
  if (!Number.isFinite(number)) throw resultError('a number', result)
  return number
}

const numberOrBoolean = (result: Json): number | boolean | undefined =>
  typeof result === 'boolean' ? result : numberOf(result)

function resultError(expected: string, result: Json): RunError {
  const { details } = misfit('outputs', 'evaluate', expected, result)
  const message = `evaluate should return ${expected}, but returned ${details?.got}`
  return new RunError(400, 'v0:workflows:code-error', message, details ? { details } : {})
}

/** The arguments that version 2 and 3 of `evaluate` take. */
export const threeArguments = (
  inputs: JsonObject | undefined,
  outputs: Json | undefined,
  trace: Json | undefined,
): Json[] => [inputs ?? {}, outputs ?? null, trace ?? null]
