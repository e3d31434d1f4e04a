import { defined, type JsonObject, microsToIso } from '@spanhouse/model'
import { createdWithin, type RawBuilder, sql } from '@spanhouse/postgres'
import type { WindowingBody } from '@spanhouse/validation'
import type { Layer } from '../kind.ts'
import { column } from './rows.ts'

/** Maximum rows in a page, even without a limit; the response then has a cursor. */
export const PAGE_ROWS_MAX = 10_000

/** A part of a list in the order of its ids, newest first by default. */
export interface Window {
  conditions: RawBuilder<unknown>[]
  /** The order, and a limit of one more than the page, which shows whether there are more rows. */
  tail: RawBuilder<unknown>
  limit: number
}

/** The window for a layer. Bounds are creation times; with a cursor they are inclusive. */
export function windowOf(layer: Layer, windowing: WindowingBody | undefined): Window {
  const { newest, oldest, next, order } = windowing ?? {}
  const limit = Math.min(windowing?.limit ?? PAGE_ROWS_MAX, PAGE_ROWS_MAX)
  const isAscending = order === 'ascending'
  const [id, created_at] = [column(layer, 'id'), column(layer, 'created_at')]
  return {
    conditions: [
      ...createdWithin(created_at, { newest, oldest, next }, isAscending),
      ...(next === undefined ? [] : [sql`${id} ${sql.raw(isAscending ? '>' : '<')} ${next}::uuid`]),
    ],
    tail: sql`order by ${id} ${sql.raw(isAscending ? 'asc' : 'desc')} limit ${limit + 1}`,
    limit,
  }
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
