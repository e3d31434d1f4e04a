import { isJsonObject, type Json } from '../json/json.ts'

/** What is known of a failure: the type and the message of an exception; empty if unknown. */
export interface Failure {
  readonly type: string
  readonly message: string
}

/** Of longer texts the beginning is compared. */
const TEXT_LENGTH_MAX = 300
/** A shorter message inside another one may be there by chance. */
const CONTAINED_LENGTH_MIN = 8

/** The failure that `ag.exception` describes; null if it describes none. */
export function failureIn(exception: Json | undefined): Failure | null {
  if (!isJsonObject(exception)) return null
  const type = textOf(exception.type)
  const message = textOf(exception.message)
  return type === '' && message === '' ? null : { type, message }
}

/** Well-formed, as it is once it was bytes: it may be cut within a character. */
const textOf = (value: Json | undefined): string =>
  typeof value === 'string' ? value.slice(0, TEXT_LENGTH_MAX).toWellFormed() : ''

/**
 * Whether a failure is one that happened below and was passed on: with the same message or with it in its own. Of one
 * without a message the type is compared in the same way.
 */
export function isSameFailure(above: Failure, below: Failure): boolean {
  const text = below.message || below.type
  if (text === above.message || (below.message === '' && text === above.type)) return true
  return text.length >= CONTAINED_LENGTH_MIN && above.message.includes(text)
}
