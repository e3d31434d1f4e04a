import { isJsonObject, type Json, type JsonObject, numberOf } from '@spanhouse/model'
import { misfit, missing } from '../run-error.ts'

/*
 * Reading what an evaluator is configured with. Each function throws a 400 RunError that names the parameter when it is
 * absent or of the wrong type.
 */

/** A required parameter. Null counts as present. */
export function required(parameters: JsonObject, name: string): Json {
  const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined
  if (value === undefined) throw missing('parameter', name)
  return value
}

export function requiredText(parameters: JsonObject, name: string): string {
  const value = required(parameters, name)
  if (typeof value !== 'string') throw misfit('parameter', name, 'a string', value)
  return value
}

/** The fallback if it is absent or null. */
export function optionalText(parameters: JsonObject, name: string, fallback: string): string {
  const value = parameters[name] ?? fallback
  if (typeof value !== 'string') throw misfit('parameter', name, 'a string', value)
  return value
}

/** The fallback if it is absent; only `true` and `false` are accepted. */
export function optionalBoolean(parameters: JsonObject, name: string, fallback: boolean): boolean {
  const value = parameters[name] ?? (parameters[name] === null ? null : fallback)
  if (typeof value !== 'boolean') throw misfit('parameter', name, 'true or false', value)
  return value
}

/** A number from 0 to 1; undefined if it is absent or null. 0 is a valid threshold. */
export function optionalShare(parameters: JsonObject, name: string): number | undefined {
  const value = parameters[name] ?? undefined
  if (value === undefined) return undefined
  const number = numberOf(value)
  if (number === undefined || number < 0 || number > 1) throw misfit('parameter', name, 'a number of 0 to 1', value)
  return number
}

/** The minimum score for success (5.1). */
export const thresholdOf = (parameters: JsonObject): number => optionalShare(parameters, 'threshold') ?? 0.5

/** The name of the column with the expected answer. It is a name, never a path. */
export const answerKeyOf = (parameters: JsonObject): string =>
  optionalText(parameters, 'correct_answer_key', 'correct_answer')

/** Texts as a list or separated by commas, trimmed. */
export function requiredTexts(parameters: JsonObject, name: string): string[] {
  const value = required(parameters, name)
  if (typeof value === 'string') return trimmed(value.split(',')).filter(text => text !== '')
  if (!Array.isArray(value)) throw misfit('parameter', name, 'a list of strings', value)
  return trimmed(textsOf(value, name))
}

/** A list of texts only. */
export function textsOf(list: readonly Json[], name: string): string[] {
  return list.map((one, at) => {
    if (typeof one !== 'string') throw misfit('parameter', `${name}[${at}]`, 'a string', one)
    return one
  })
}

const trimmed = (texts: readonly string[]): string[] => texts.map(text => text.trim())

/** The inputs, which must be an object. */
export function requiredInputs(inputs: JsonObject | undefined): JsonObject {
  if (!isJsonObject(inputs)) throw misfit('inputs', 'inputs', 'an object', inputs)
  return inputs
}
