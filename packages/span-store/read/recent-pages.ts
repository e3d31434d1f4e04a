import type { Micros } from '@spanhouse/model'
import type { SpansOf } from '@spanhouse/query'

/** Pages that are remembered. */
const PAGES_MAX = 1_000
/** Longer filters are not: they would take as long to compare as their search. */
const FILTER_LENGTH_MAX = 4_000

/**
 * Where full pages of the newest spans ended. Lists are asked for again and again, and spans that came since can only
 * move the end of a page forward, so the next time only what is newer has to be searched. If spans were deleted in
 * between, that has too few for a page, and everything is searched as if nothing was known.
 */
export class RecentPages {
  /** The one that was used last is last. */
  readonly #ends = new Map<string, Micros>()

  /** The start of the last span of this page as it was; undefined: not known. */
  endOf(page: string): Micros | undefined {
    return this.#ends.get(page)
  }

  keep(page: string, end: Micros): void {
    this.#ends.delete(page)
    this.#ends.set(page, end)
    const [first] = this.#ends.keys()
    if (this.#ends.size > PAGES_MAX && first !== undefined) this.#ends.delete(first)
  }

  forget(page: string): void {
    this.#ends.delete(page)
  }
}

/** The name of a page of a list that begins with the newest spans; undefined for any other page. */
export function recentPageOf({ project_id, query }: SpansOf, limit: number): string | undefined {
  const { order, newest, rate } = query.windowing
  if (order !== 'descending' || newest !== undefined || rate !== undefined) return undefined
  const filter = JSON.stringify(query.filter ?? null)
  return filter.length > FILTER_LENGTH_MAX ? undefined : `${project_id} ${limit} ${filter}`
}
