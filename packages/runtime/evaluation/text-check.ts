import type { Json, JsonObject } from '@spanhouse/model'
import type { Run } from '../run.ts'
import { outputText } from './judged.ts'
import { optionalBoolean, requiredText, requiredTexts } from './parameters.ts'

type Fold = (text: string) => string

/** Converts texts to lower case, unless `case_sensitive` is true or absent. */
export const foldOf = (parameters: JsonObject): Fold =>
  optionalBoolean(parameters, 'case_sensitive', true) ? text => text : text => text.toLowerCase()

/** The `run` of a handler that searches the outputs for the text of one parameter. */
export function checkText(parameter: string, holds: (text: string, sought: string) => boolean) {
  return async ({ parameters, outputs }: Run): Promise<Json> => {
    const sought = requiredText(parameters, parameter)
    const fold = foldOf(parameters)
    return { success: holds(fold(await outputText(outputs)), fold(sought)) }
  }
}

/** The `run` of a handler that searches the outputs for several texts, `substrings`. */
export function checkTexts(holds: (sought: readonly string[], isIn: (sought: string) => boolean) => boolean) {
  return async ({ parameters, outputs }: Run): Promise<Json> => {
    const sought = requiredTexts(parameters, 'substrings')
    const fold = foldOf(parameters)
    const text = fold(await outputText(outputs))
    return { success: holds(sought, one => text.includes(fold(one))) }
  }
}
