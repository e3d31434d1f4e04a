import { DELIMITED, isMessageName, MESSAGES, type MessageName, VALUE_DEPTH_MAX } from '../canonical/messages.ts'
import type { WireReader } from './wire-reader.ts'

/** Messages as small numbers, from 1, so that the check below consists of array lookups only. */
const NUMBERS = new Map(Object.keys(MESSAGES).map((name, index) => [name as MessageName, index + 1]))
const ANY_VALUE = NUMBERS.get('AnyValue') as number

/** `INNER[message][field number]`: the number of the message in that field, or 0 if it is not a message. */
const INNER: readonly Uint8Array[] = [
  new Uint8Array(),
  ...Object.values(MESSAGES).map(fields => {
    const inner = new Uint8Array(17)
    for (const { number, type } of Object.values(fields))
      if (isMessageName(type)) inner[number] = NUMBERS.get(type) as number
    return inner
  }),
]

/** `sound` if nothing is wrong; `malformed`; or `deep` if a value is nested deeper than {@link VALUE_DEPTH_MAX}. */
export type Structure = 'sound' | 'malformed' | 'deep'

/** Returns a function that reads the given message up to `end` and checks it with all messages in it. */
export function structureOf(name: MessageName): (reader: WireReader, end: number) => Structure {
  const message = NUMBERS.get(name) as number
  return (reader, end) => check(reader, end, message, 0)
}

function check(reader: WireReader, end: number, message: number, valueDepth: number): Structure {
  const depth = message === ANY_VALUE ? valueDepth + 1 : valueDepth
  if (depth > VALUE_DEPTH_MAX) return 'deep'
  const inner = INNER[message] as Uint8Array
  while (reader.pos < end) {
    const tag = reader.tag()
    const member = (tag & 7) === DELIMITED ? inner[tag >>> 3] : 0
    if (!member) {
      reader.skip(tag, end)
      continue
    }
    const structure = check(reader, reader.delimited(end), member, depth)
    if (structure !== 'sound') return structure
  }
  return reader.pos === end ? 'sound' : 'malformed'
}
