import { type Json, parseJson, scanShortJson } from '@spanhouse/model'
import { CONTENT_BODY_BYTES_MAX, jsonBounds } from '../budget/limits.ts'

const BOUNDS = jsonBounds(CONTENT_BODY_BYTES_MAX)

/** The arguments of a call as a model wrote them: the text itself if it is not valid JSON, or not within the limits. */
export function toolArguments(text: string): Json {
  try {
    scanShortJson(text, BOUNDS)
    return parseJson(text)
  } catch {
    return text
  }
}
