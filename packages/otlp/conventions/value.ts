import { isJsonObject, type Json, type JsonObject, numberOf } from '@spanhouse/model'
import { numeric } from '../canonical/ag-schema.ts'
import { parseText } from '../json/json-text.ts'

const CONTAINER = /^\s*[[{]/

/** The object or list in a JSON text; other values are unchanged. */
export const parsedContainer = (value: Json): Json =>
  typeof value === 'string' && CONTAINER.test(value) ? (parseText(value) ?? value) : value

/** The value in a JSON text; other values are unchanged. */
export const parsedValue = (value: Json): Json => (typeof value === 'string' ? (parseText(value) ?? value) : value)

/**
 * A value as inputs, which are an object: a list of messages becomes the member `prompt`, any other value that is not
 * an object the member `input`. JSON text of an object or a list is parsed.
 */
export function inputsOf(sent: Json): JsonObject {
  const value = parsedContainer(sent)
  if (isJsonObject(value)) return value
  return Array.isArray(value) && value.length > 0 && value.every(isMessage) ? { prompt: value } : { input: value }
}

/** The number in a value that counts something, or in its text; undefined if there is none. */
export const amountOf = (value: Json | undefined): number | undefined =>
  value === undefined ? undefined : numberOf(numeric(value))

const isMessage = (value: Json): boolean => isJsonObject(value) && typeof value.role === 'string'
