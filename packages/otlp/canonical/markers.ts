import { isJsonObject, type Json } from '@spanhouse/model'
import { parseText } from '../json/json-text.ts'
import { setOwn } from './own-property.ts'

const NONE = '@ag.type=none:'
const JSON_TEXT = '@ag.type=json:'

/**
 * Decodes the markers with which the SDK writes values into `ag.*` attributes that OpenTelemetry has no type for: JSON
 * after `@ag.type=json:`, null for `@ag.type=none:`. Nested values are changed in place, at every level; decoded values
 * are not searched for markers. A marker with broken JSON remains text.
 */
export function decodeMarkers(value: Json): Json {
  if (typeof value === 'string') return value.startsWith('@ag.') ? decodeMarker(value) : value
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) value[index] = decodeMarkers(item)
  } else if (isJsonObject(value)) {
    for (const key of Object.keys(value)) setOwn(value, key, decodeMarkers(value[key] as Json))
  }
  return value
}

function decodeMarker(text: string): Json {
  if (text === NONE) return null
  const value = text.startsWith(JSON_TEXT) ? parseText(text.slice(JSON_TEXT.length)) : undefined
  return value === undefined ? text : value
}
