import { isJsonObject, type Json } from '@spanhouse/model'
import type { Run } from '../run.ts'
import { misfit, missing } from '../run-error.ts'
import { jsonText } from './json-text.ts'
import { answerKeyOf, requiredInputs } from './parameters.ts'
import { readJson } from './read-json.ts'

/*
 * What evaluators compare: the outputs of a run and the expected answer. Functions that read parameters come first in a
 * handler, then those that read inputs, then those that read outputs: the contract fixes the order of complaints (5.2).
 */

/** The expected answer: the input named by `correct_answer_key`. Throws a 400 RunError if it is missing. */
export function expectedAnswer({ parameters, inputs }: Pick<Run, 'parameters' | 'inputs'>): Json {
  const key = answerKeyOf(parameters)
  const columns = requiredInputs(inputs)
  const answer = Object.hasOwn(columns, key) ? columns[key] : undefined
  if (answer === undefined) throw missing('input', key)
  return answer
}

/** The expected answer as a text: a text, or the JSON text of an object. Throws a 400 RunError for anything else. */
export async function expectedText(run: Pick<Run, 'parameters' | 'inputs'>): Promise<string> {
  const answer = expectedAnswer(run)
  if (typeof answer === 'string') return answer
  if (isJsonObject(answer)) return jsonText(answer)
  throw misfit('input', answerKeyOf(run.parameters), 'a string or an object', answer)
}

/** The outputs as a text: a text, or the JSON text of an object or list. Throws a 400 RunError for anything else. */
export async function outputText(outputs: Json | undefined): Promise<string> {
  const judged = requiredDocument(outputs)
  return typeof judged === 'string' ? judged : jsonText(judged)
}

/** The outputs, which must be a string, an object or a list. Throws a 400 RunError. */
export function requiredDocument(outputs: Json | undefined): Json {
  if (typeof outputs === 'string' || Array.isArray(outputs) || isJsonObject(outputs)) return outputs
  throw misfit('outputs', 'outputs', 'a string, an object or a list', outputs)
}

/**
 * The expected answer as a document to compare leaf by leaf: an object or a list, or what a JSON text holds. Throws a
 * 400 RunError for anything else.
 */
export async function expectedDocument(run: Pick<Run, 'parameters' | 'inputs'>): Promise<Json> {
  const answer = expectedAnswer(run)
  const document = await documentIn(answer)
  if (document === undefined) throw misfit('input', answerKeyOf(run.parameters), 'JSON text or an object', answer)
  return document
}

/** The outputs as a document, as {@link expectedDocument}. */
export async function outputDocument(outputs: Json | undefined): Promise<Json> {
  const document = await documentIn(outputs)
  if (document === undefined) throw misfit('outputs', 'outputs', 'JSON text or an object', outputs)
  return document
}

async function documentIn(value: Json | undefined): Promise<Json | undefined> {
  if (typeof value === 'string') return readJson(value)
  return Array.isArray(value) || isJsonObject(value) ? value : undefined
}
