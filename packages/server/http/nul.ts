import { FAULTS, isJsonObject, nextTurn, unprocessable } from '@spanhouse/model'
import { isNulRejected } from '@spanhouse/postgres'
import type { RequestPart } from '@spanhouse/validation'

const NUL = '\0'

/**
 * The error to throw for one of a handler: if Postgres has rejected a text with a NUL character, a 422 that names a
 * text of the request, otherwise the error itself. Postgres does not say which text it was, and free-form JSON may have
 * NULs, so the least nested text that has one is named.
 */
export async function namingNul(error: unknown, sent: Record<RequestPart, unknown>): Promise<unknown> {
  const loc = isNulRejected(error) ? await locOfNul(sent) : undefined
  const [type, msg] = FAULTS.nul
  return loc ? unprocessable({ type, loc, msg }) : error
}

/** A value, or the name of a member, and where it is. */
interface Place {
  value: unknown
  step?: string | number
  within?: Place
}

async function locOfNul(root: unknown): Promise<(string | number)[] | undefined> {
  let level: Place[] = [{ value: root }]
  while (level.length > 0) {
    const found = level.find(({ value }) => typeof value === 'string')
    if (found) return locOf(found)
    const below: Place[] = []
    for (const place of level) {
      const turn = nextTurn()
      if (turn) await turn
      for (const [step, value] of membersOf(place.value)) {
        if (typeof step === 'string' && step.includes(NUL)) below.push({ value: step, step, within: place })
        const isOfInterest = typeof value === 'string' ? value.includes(NUL) : typeof value === 'object'
        if (isOfInterest) below.push({ value, step, within: place })
      }
    }
    level = below
  }
  return undefined
}

/** None of the bytes of a file. */
function membersOf(value: unknown): Iterable<[string | number, unknown]> {
  if (Array.isArray(value)) return value.entries()
  return isJsonObject(value) && !Buffer.isBuffer(value) ? Object.entries(value) : []
}

function locOf(place: Place): (string | number)[] {
  const loc: (string | number)[] = []
  for (let at: Place | undefined = place; at?.step !== undefined; at = at.within) loc.push(at.step)
  return loc.reverse()
}
