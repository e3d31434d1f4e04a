import { isJsonObject, isRawJson, type Json, type JsonObject, parseJson } from '@spanhouse/model'
import { CELL_CHARACTERS_MAX, type CellContent } from '@spanhouse/query'

/**
 * What a cell shows of its trace: where it is, what it took, its input and output, and of an evaluator's output the
 * single values, by their names (`name.member` for those of objects).
 */
export function contentOf(content: CellContent, isScored: boolean): JsonObject {
  const { span_id, duration, costs, inputs, outputs, members } = content
  return {
    span_id,
    ...(duration > 0 && { duration }),
    ...(costs > 0 && { costs }),
    ...shown('inputs', inputs),
    ...(isScored ? { scores: scoresOf(outputs, members) } : shown('outputs', outputs)),
  }
}

/** A value, or the beginning of its JSON text with `name_cut`. */
function shown(name: 'inputs' | 'outputs', json: string): JsonObject {
  if (json === '') return {}
  const whole = wholeOf(json)
  if (whole !== undefined) return { [name]: whole }
  return { [name]: beginningOf(json), [`${name}_cut`]: true }
}

/**
 * The value of a JSON text, unless it was cut. Character counts are those of the engine, so longer texts may be whole.
 */
function wholeOf(json: string): Json | undefined {
  try {
    return parseJson(json)
  } catch {
    return undefined
  }
}

/** The text that a cut JSON text begins with: of a string itself, of anything else its JSON. */
function beginningOf(json: string): string {
  if (!json.startsWith('"')) return json.slice(0, CELL_CHARACTERS_MAX)
  // An escape may have been cut; none is longer than six characters.
  for (let end = json.length; end > Math.max(1, json.length - 6); end--) {
    const text = wholeOf(`${json.slice(0, end)}"`)
    if (typeof text === 'string') return text
  }
  return json
}

type Score = number | boolean | string

function scoresOf(outputs: string, members: CellContent['members']): Record<string, Score> {
  const scores: Record<string, Score> = {}
  const add = (name: string, value: Json, depth: number): void => {
    if (typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string') scores[name] = value
    else if (isRawJson(value)) scores[name] = Number(value.rawJSON)
    else if (isJsonObject(value) && depth < DEPTH_MAX)
      for (const [key, one] of Object.entries(value)) add(`${name}.${key}`, one, depth + 1)
  }
  for (const [name, json] of members) add(name, wholeOf(json) ?? `${beginningOf(json)}…`, 0)
  if (members.length === 0 && outputs !== '') add('', wholeOf(outputs) ?? beginningOf(outputs), DEPTH_MAX)
  return scores
}

/** Levels of objects below an output whose values are shown. */
const DEPTH_MAX = 5
