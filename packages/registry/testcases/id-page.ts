import type { JsonObject, Uuid } from '@spanhouse/model'
import type { WindowingBody } from '@spanhouse/validation'

/** A part of a list of ids, and the cursor for the next part, if there is one. */
export interface IdPage {
  ids: Uuid[]
  /** To be sent back unchanged. */
  next?: Uuid
}

/**
 * A list may contain a row twice. Then its id does not identify the end of a page, so the cursor is its position in
 * this form of a UUID.
 */
const POSITION_PREFIX = '00000000-0000-8000-8000-'

/**
 * The part of a list that a windowing object selects, in the list's order or backwards. A cursor that is not in the
 * list selects nothing. `fits` may end a page early: it is called with each id, and returns whether it still fits on
 * the page.
 */
export function pageOfIds(
  ids: readonly Uuid[],
  { next, limit = ids.length, order }: Partial<WindowingBody>,
  fits: (id: Uuid) => boolean = () => true,
): IdPage {
  const isBackwards = order === 'descending'
  const step = isBackwards ? -1 : 1
  let at = isBackwards ? ids.length - 1 : 0
  if (next !== undefined) {
    const last = positionOf(ids, next)
    if (last === undefined) return { ids: [] }
    at = last + step
  }
  const page: Uuid[] = []
  for (; page.length < limit; at += step) {
    const id = ids[at]
    if (id === undefined) return { ids: page }
    if (!fits(id) && page.length > 0) break
    page.push(id)
  }
  return ids[at] === undefined ? { ids: page } : { ids: page, next: cursorTo(ids, at - step) }
}

function cursorTo(ids: readonly Uuid[], position: number): Uuid {
  const id = ids[position] as Uuid
  const isUnique = ids.indexOf(id) === ids.lastIndexOf(id)
  return isUnique ? id : `${POSITION_PREFIX}${position.toString(16).padStart(12, '0')}`
}

/** Whether a list has the row that a cursor leads on from. A position is in every list. */
export const hasCursor = (ids: readonly Uuid[], cursor: Uuid): boolean => positionOf(ids, cursor) !== undefined

function positionOf(ids: readonly Uuid[], cursor: Uuid): number | undefined {
  if (cursor.startsWith(POSITION_PREFIX)) return Number.parseInt(cursor.slice(POSITION_PREFIX.length), 16)
  const position = ids.indexOf(cursor)
  return position < 0 ? undefined : position
}

/** The windowing object for the next page: the request's with a new cursor. Undefined on the last page. */
export function nextWindowing(windowing: Partial<WindowingBody>, next: Uuid | undefined): JsonObject | undefined {
  if (next === undefined) return undefined
  const { limit, order } = windowing
  return { ...(limit !== undefined && { limit }), ...(order !== undefined && { order }), next }
}
