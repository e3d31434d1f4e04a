import { parseExact } from '../api/exact-json.ts'
import { isObject, type Json, type JsonObject } from '../api/registry/registry.ts'

/** What no table begins with: the beginning of an object, or of an array of them. */
const IS_JSON = /^\ufeff?\s*(\{\s*["}]|\[\s*[{\]])/

/**
 * The rows of a text that is JSON: an array of objects, one object, or an object on each line. Undefined for any other
 * text. Throws an error that names the row or the line which is none.
 */
export function jsonRowsIn(text: string): JsonObject[] | undefined {
  if (!IS_JSON.test(text)) return undefined
  const json = text.replace(/^\ufeff/, '').trim()
  const whole = parsed(json)
  if (Array.isArray(whole)) return whole.map((row, index) => rowIn(row, `Row ${index + 1}`))
  if (isObject(whole)) return [whole]
  if (json.startsWith('[')) throw notJson(json)
  return json.split('\n').flatMap((line, index) => {
    if (line.trim() === '') return []
    const row = parsed(line)
    if (row === undefined) throw notJson(line, index + 1)
    return [rowIn(row, `Line ${index + 1}`)]
  })
}

function rowIn(value: Json, where: string): JsonObject {
  if (!isObject(value)) throw new Error(`${where} is not an object with a value for each column.`)
  return value
}

function parsed(text: string): Json | undefined {
  try {
    return parseExact<Json>(text)
  } catch {
    return undefined
  }
}

/** Why a text is not JSON, in the browser's words. */
function notJson(text: string, line?: number): Error {
  const where = line === undefined ? 'It' : `Line ${line}`
  try {
    JSON.parse(text)
  } catch (error) {
    return new Error(`${where} is not JSON: ${(error as Error).message}`)
  }
  return new Error(`${where} is not JSON.`)
}
