import { type Json, Problem } from '@spanhouse/model'
import { valueAtPath } from '../path.ts'
import { RunError } from '../run-error.ts'

/** Like `valueAtPath`, for a path in a parameter. Throws a 400 RunError if it selects too much. */
export function valueIn(document: Json, path: string, parameter: string): Json | undefined {
  try {
    return valueAtPath(document, path)
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    const message = `Invalid parameter at '${parameter}': ${error.message}`
    throw new RunError(400, 'v0:schemas:invalid-parameter', message, { details: { path: parameter }, cause: error })
  }
}
