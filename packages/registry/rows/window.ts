import { defined, type JsonObject, microsToIso, type Uuid } from '@spanhouse/model'
import { type ListWindow, listWindow } from '@spanhouse/postgres'
import type { WindowingBody } from '@spanhouse/validation'
import type { Layer } from '../kind.ts'
import { column } from './rows.ts'

/** Maximum rows in a page, even without a limit; the response then has a cursor. */
export const PAGE_ROWS_MAX = 10_000

/** A part of a list in the order of its ids, with one row more than the page, which shows whether there are more. */
export interface Window extends ListWindow {
  /** Rows in the page. */
  limit: number
  /** A page of the list: `limit` rows of it, or of what follows the row with the id `next`. */
  part(limit: number, next?: Uuid): ListWindow
}

/** The window for a layer, newest first by default. */
export function windowOf(layer: Layer, windowing: Partial<WindowingBody> = {}): Window {
  const limit = Math.min(windowing.limit ?? PAGE_ROWS_MAX, PAGE_ROWS_MAX)
  const order = {
    created_at: column(layer, 'created_at'),
    by: [column(layer, 'id')],
    // Those of artifacts may be the caller's choice.
    areIdsTimed: layer !== 'artifact',
    isAscending: windowing.order === 'ascending',
  }
  const part = (limit: number, next = windowing.next) => listWindow({ ...windowing, next, limit }, order)
  return { ...part(limit + 1), limit, part }
}

/** A page of rows, and the windowing for the next page, if there is one. */
export interface Page<T> {
  rows: T[]
  windowing?: JsonObject
}

/** Cuts the rows that were read to the page. */
export function pageOf<T extends { id: string }>(read: T[], { limit }: Window, windowing?: WindowingBody): Page<T> {
  if (read.length <= limit) return { rows: read }
  const rows = read.slice(0, limit)
  const { newest, oldest, ...given } = windowing ?? {}
  const echoed = {
    ...given,
    ...(newest === undefined ? {} : { newest: microsToIso(newest) }),
    ...(oldest === undefined ? {} : { oldest: microsToIso(oldest) }),
    limit,
    next: rows.at(-1)?.id,
  }
  return { rows, windowing: defined(echoed) }
}
