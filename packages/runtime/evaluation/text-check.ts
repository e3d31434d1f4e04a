import type { Json, JsonObject } from '@spanhouse/model'
import type { Run } from '../run.ts'
import { outputText } from './judged.ts'
import { optionalBoolean, requiredText } from './parameters.ts'

type Fold = (text: string) => string

/** Converts texts to lower case, unless `case_sensitive` is true or absent. */
export const foldOf = (parameters: JsonObject): Fold =>
  optionalBoolean(parameters, 'case_sensitive', true) ? text => text : text => text.toLowerCase()

/** The `run` of a handler that compares the outputs with the text of one parameter. */
export function checkText(parameter: string, holds: (text: string, given: string) => boolean) {
  return async ({ parameters, outputs }: Run): Promise<Json> => {
    const given = requiredText(parameters, parameter)
    const fold = foldOf(parameters)
    return { success: holds(fold(await outputText(outputs)), fold(given)) }
  }
}

/** The `run` of a handler that searches the outputs for all or any of some texts. */
export function checkContains(extent: 'all' | 'any', soughtIn: (parameters: JsonObject) => readonly string[]) {
  return async ({ parameters, outputs, means }: Run): Promise<Json> => {
    const sought = soughtIn(parameters)
    const fold = foldOf(parameters)
    const text = fold(await outputText(outputs))
    return { success: await means.compute('containsTexts', text, sought.map(fold), extent) }
  }
}
